// Worker.
