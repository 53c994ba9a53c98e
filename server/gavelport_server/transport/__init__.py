"""The only room of the server that imports grpc."""
