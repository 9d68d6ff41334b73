"""One module for each version of the tables; never changed after its release."""
