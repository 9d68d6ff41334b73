"""What the server says of itself to its operator."""
