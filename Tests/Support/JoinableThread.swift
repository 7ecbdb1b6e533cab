package import HTTPLoad
internal import Synchronization
package import System

package final class JoinableThread<Value: Sendable>: Sendable {
    private let result = Mutex<Value?>(nil)
    private let hasEnded: WakeUp

    package init(_ body: @escaping @Sendable () -> Value) throws(SystemCallError) {
        hasEnded = try WakeUp()
        try ServiceThread.start { [self] in
            let value = body()
            result.withLock { $0 = value }
            hasEnded.announce()
        }
    }

    package func join() -> Value? {
        // A signal ends a wait early.
        while (try? Readiness.wait(for: [hasEnded.descriptor.number], timeoutMilliseconds: -1)) == [] {}
        return result.withLock { $0 }
    }
}

extension LoadClient {
    package func start() throws -> JoinableThread<LoadReport> {
        try JoinableThread { self.run() }
    }
}

package enum Patience {
    /// Checks the condition every few milliseconds, so that a slow machine only makes a test slower. Returns false when
    /// `seconds` have passed.
    package static func wait(seconds: Double, _ condition: () -> Bool) -> Bool {
        let deadline = Clock.monotonicNanoseconds() + UInt64(seconds * 1e9)
        while !condition() {
            if Clock.monotonicNanoseconds() > deadline { return false }
            pause(milliseconds: 3)
        }
        return true
    }

    /// Lets time pass. For actions at random moments and for load that lasts a while, never to wait for an event.
    package static func pause(milliseconds: Int32) {
        _ = try? Readiness.wait(for: [], timeoutMilliseconds: milliseconds)
    }
}
