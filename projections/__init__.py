"""Read models: disposable folds over the log."""
