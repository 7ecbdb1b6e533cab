import HTTPLoad
import Support
import Synchronization
import System

/// Senders that post notifications one after the other until they are told to stop, as Apple does: a notification without a
/// 200 is sent again.
final class NotificationLoad: Sendable {
    private struct State {
        var nextNumber: UInt64 = 1
        var acknowledged: [UInt64] = []
        var inFlight = 0
        var isOver = false
    }

    private let state = Mutex(State())
    private let tester: RecorderTester
    private let threads: Mutex<[JoinableThread<Bool>]> = Mutex([])

    /// Starts the senders.
    init(_ tester: RecorderTester, senders: Int) throws {
        self.tester = tester
        for _ in 0..<senders {
            let thread = try JoinableThread { self.send() }
            threads.withLock { $0.append(thread) }
        }
    }

    /// The requests without an answer at this moment.
    var inFlightCount: Int { state.withLock { $0.inFlight } }

    /// The numbers of the notifications that were answered with 200 so far.
    var acknowledged: [UInt64] { state.withLock { $0.acknowledged } }

    /// Lets the senders end, and waits for them. Returns false when a sender has failed.
    func finish() -> Bool {
        state.withLock { $0.isOver = true }
        return threads.withLock { $0 }.allSatisfy { $0.join() == true }
    }

    private func send() -> Bool {
        while true {
            let number = state.withLock { state -> UInt64? in
                if state.isOver { return nil }
                defer { state.nextNumber += 1 }
                return state.nextNumber
            }
            guard let number else { return true }
            guard let body = try? tester.body(number) else { return false }
            while !state.withLock({ $0.isOver }) {
                state.withLock { $0.inFlight += 1 }
                let answer = tester.post(body)
                state.withLock { state in
                    state.inFlight -= 1
                    if answer?.status == 200 { state.acknowledged.append(number) }
                }
                if answer?.status == 200 { break }
                Patience.pause(milliseconds: 2)
            }
        }
    }
}
