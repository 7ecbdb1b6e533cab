// A library for LD_PRELOAD with which fsync(2) and fdatasync(2) of one program return at once.
int fsync(int file) { return file < 0 ? -1 : 0; }
int fdatasync(int file) { return file < 0 ? -1 : 0; }
