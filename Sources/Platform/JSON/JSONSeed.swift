internal import CJansson

/// Seeds jansson's hash tables with a random number in every process, so that nobody can choose keys that collide.
///
/// jansson would seed itself from `/dev/urandom`, but when that cannot be opened it would use the time.
enum JSONSeed {
    private static let once: Void = {
        json_object_seed(Int(UInt32.random(in: 1...UInt32.max)))  // with 0, jansson picks a seed
    }()

    static func set() { once }
}
