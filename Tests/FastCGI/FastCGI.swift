// FastCGI.
