"""Ways to run the backends: without containers (`local`), and with compose."""
