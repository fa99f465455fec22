"""What stands between the ports and the outside world."""
