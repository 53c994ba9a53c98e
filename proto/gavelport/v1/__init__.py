"""Version 1 of the protocol: the .proto files and the code generated from them."""
