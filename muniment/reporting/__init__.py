"""The reviewer's report: twelve questions about a period, each with the command that says more."""
