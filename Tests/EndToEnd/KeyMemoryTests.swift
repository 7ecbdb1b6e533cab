import Support
import System
import Testing

extension EndToEnd {
    @Suite("A process that signs")
    struct KeyMemoryTests {
        @Test("writes no core dump, which would have a private key")
        func limits() throws {
            try TestOffers.run(keys: ["KEY"]) { tester in
                for process in try tester.workers + [tester.daemon.processID] {
                    let limits = try FileDescriptor.openForReading(path: "/proc/\(process)/limits")
                        .readAll(limitBytes: 1 << 16)
                    let text = String(decoding: limits, as: UTF8.self)
                    #expect(text.contains(#/\nMax core file size +0 +0 /#), "\(text)")
                }
            }
        }
    }
}
