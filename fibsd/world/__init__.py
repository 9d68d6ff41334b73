"""The server's domain: accounts, lobby and tables. Pure and synchronous; it decides, others do the I/O."""
