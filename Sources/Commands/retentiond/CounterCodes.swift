internal import Endpoints

/// The codes that the shared counters count one by one.
enum CounterCodes {
    static let all: [String] = RequestObserver.codes
}
