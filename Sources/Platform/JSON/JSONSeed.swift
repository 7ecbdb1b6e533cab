internal import CJansson

/// The seed of jansson's hash tables: random in every process, so that nobody can choose keys that collide.
///
/// jansson would seed itself from `/dev/urandom`, but from the time where that cannot be opened.
enum JSONSeed {
    private static let once: Void = {
        json_object_seed(Int(UInt32.random(in: 1...UInt32.max)))  // 0 would mean: choose one yourself
    }()

    static func set() { once }
}
