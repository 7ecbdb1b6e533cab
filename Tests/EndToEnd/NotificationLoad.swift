import HTTPLoad
import Support
import Synchronization
import System
import Testing

/// Senders that post notifications one after the other until they are told to stop, as Apple does: a notification without a
/// 200 is sent again.
final class NotificationLoad: Sendable {
    private struct State {
        var nextNumber: UInt64 = 1
        var nextAttempt: UInt64 = 0
        var acknowledged: [UInt64] = []
        var bodyHashes: [UInt64: Int] = [:]
        var inFlight: Set<UInt64> = []
        var refusalCount = 0
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

    /// The numbers of the attempts that have no answer at this moment. Each attempt has a number of its own.
    var inFlight: Set<UInt64> { state.withLock { $0.inFlight } }

    /// How often a notification was sent so far.
    var attemptCount: UInt64 { state.withLock { $0.nextAttempt } }

    /// The numbers of the notifications that were answered with 200 so far.
    var acknowledged: [UInt64] { state.withLock { $0.acknowledged } }

    /// The attempts that were answered with 503 so far.
    var refusalCount: Int { state.withLock { $0.refusalCount } }

    /// The hashes of the bodies that were sent, by the numbers of the notifications.
    var bodyHashes: [UInt64: Int] { state.withLock { $0.bodyHashes } }

    /// Waits until `count` more notifications are acknowledged.
    func awaitAcknowledgements(_ count: Int) throws {
        let before = acknowledged.count
        guard Patience.wait(seconds: 60, { acknowledged.count >= before + count }) else {
            throw Complaint("no notification is acknowledged")
        }
    }

    /// Lets the senders end, and waits for them. Returns false when a sender has failed.
    func finish() -> Bool {
        state.withLock { $0.isOver = true }
        return threads.withLock { $0 }.allSatisfy { $0.join() == true }
    }

    /// Lets the senders end, and expects a row for each notification that was acknowledged, and no row twice.
    func expectRows(in recorder: RecorderTester) throws {
        #expect(finish())
        let rows = try recorder.rows()
        #expect(Set(rows).count == rows.count)
        #expect(Set(rows).isSuperset(of: acknowledged.map { RecorderTester.uuid($0) }))
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
            state.withLock { $0.bodyHashes[number] = body.hashValue }
            while !state.withLock({ $0.isOver }), !post(body, number) { Patience.pause(milliseconds: 2) }
        }
    }

    /// Sends a notification once. Returns true when the answer is 200.
    private func post(_ body: [UInt8], _ number: UInt64) -> Bool {
        let attempt = state.withLock { state in
            state.nextAttempt += 1
            state.inFlight.insert(state.nextAttempt)
            return state.nextAttempt
        }
        let answer = tester.post(body)
        return state.withLock { state in
            state.inFlight.remove(attempt)
            if answer?.status == 200 { state.acknowledged.append(number) }
            if answer?.status == 503 { state.refusalCount += 1 }
            return answer?.status == 200
        }
    }
}
