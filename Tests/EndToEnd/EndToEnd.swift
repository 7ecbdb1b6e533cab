import Testing

/// Everything here runs one after the other, each test with a pool and an nginx of its own in a fresh folder.
///
/// Environment: `RETENTIOND` names the daemon to test (else the build beside the tests, release before debug);
/// `RETENTION_LONG_TESTS=1` runs the faults for as long as the contract says; `RETENTION_KEEP=1` keeps the folders.
@Suite("End to end", .serialized, .timeLimit(.minutes(20)))
enum EndToEnd {}
