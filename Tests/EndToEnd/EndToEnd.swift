import Testing

/// The tests run one after the other, each with its own pool and its own nginx in a new folder.
///
/// Environment: `RETENTIOND`, `RETENTIOND_RECORDER` and `RETENTIONCTL` name the programs to test (default: the release build beside the tests,
/// then the debug build); `RETENTION_LONG_TESTS=1` runs the fault tests longer, see `Programs.runsLong`;
/// `RETENTION_KEEP=1` keeps the folders.
@Suite("End to end", .serialized)
enum EndToEnd {}
