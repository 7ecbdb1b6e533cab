import Support
import System
import Testing

@Suite("A timer with a descriptor")
struct WakeTimerTests {
    private func isReadable(_ timer: WakeTimer, withinMilliseconds milliseconds: Int32 = 0) throws -> Bool {
        !(try Readiness.wait(for: [timer.descriptor.number], timeoutMilliseconds: milliseconds)).isEmpty
    }

    @Test("is readable from its time on, until it is cleared or set to a later time")
    func setAndClear() throws {
        let timer = try WakeTimer()
        #expect(try !isReadable(timer))
        for passed in [0, 1, Clock.monotonicNanoseconds()] {
            timer.set(atNanoseconds: passed)
            #expect(try isReadable(timer, withinMilliseconds: 10_000))
            timer.clear()
            #expect(try !isReadable(timer))
        }
        timer.set(atNanoseconds: 1)
        timer.set(atNanoseconds: Clock.monotonicNanoseconds() + 3_600_000_000_000)
        #expect(try !isReadable(timer))
    }

    @Test("ends a wait at its time, not before")
    func ends() throws {
        let timer = try WakeTimer()
        let time = Clock.monotonicNanoseconds() + 20_000_000
        timer.set(atNanoseconds: time)
        #expect(try isReadable(timer, withinMilliseconds: 60_000))
        #expect(Clock.monotonicNanoseconds() >= time)
    }
}
