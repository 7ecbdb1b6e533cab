import HTTPLoad
import Support
import System
import Testing

extension EndToEnd {
    @Suite("Load")
    struct LoadTests {
        @Test(
            "ten thousand requests over 128 connections are all answered, kept connections or new ones"
        )
        func manyConnections() throws {
            var slowest: [String: UInt32] = [:]
            for keepalive in [64, nil] as [Int?] {
                let options = TesterOptions().with {
                    $0.keepalive = keepalive
                    $0.workers = 0
                }
                try Tester.run(options) { tester in
                    let plan = try tester.load(connections: 128).with {
                        $0.requestLimit = 10_000
                        if Programs.runsLong { $0.patienceSeconds = 5 }
                    }
                    let report = LoadClient(plan).run()
                    let name = keepalive.map { "keepalive \($0)" } ?? "new connections"
                    print("figures: 10,000 over 128, \(name): \(report)")
                    slowest[name] = report.latency(1)
                    #expect(report.failures == 0, "\(name): \(report)")
                    #expect(report.count(status: 200) == 10_000)
                }
            }
            print("figures: slowest in us: \(slowest)")
            // A busy machine can make any request slow. Only the long run, which has the machine for itself, compares
            // times.
            guard Programs.runsLong, let kept = slowest["keepalive 64"], let new = slowest["new connections"]
            else {
                return
            }
            #expect(kept <= 3 * new && new <= 3 * kept, "both ways take similar times")
        }

        @Test("many requests leak no descriptor and no memory")
        func soak() throws {
            let wanted = ProcessEnvironment.value(of: "RETENTION_SOAK_REQUESTS").flatMap { Int($0) } ?? 20_000
            try Tester.run { tester in
                // Caches and buffers that are allocated once exist after the first requests.
                let warm = LoadClient(try tester.load(connections: 16).with { $0.requestLimit = 4000 }).run()
                #expect(warm.failures == 0, "\(warm)")
                let processes = [try tester.daemon.processID] + (try tester.workers)
                let before = processes.map(Figures.init)
                let plan = try tester.load(connections: 16).with { $0.requestLimit = wanted }
                let report = LoadClient(plan).run()
                #expect(report.failures == 0, "\(report)")
                #expect(try [tester.daemon.processID] + tester.workers == processes)
                // nginx keeps idle connections, and each is a descriptor of a worker. nginx's cache limits their
                // number.
                for (old, process) in zip(before, processes) {
                    let new = Figures(process)
                    print("figures: after \(wanted) requests: \(process) \(old) -> \(new)")
                    #expect(new.descriptors <= max(old.descriptors, 16) + 16)
                    #expect(new.kilobytes <= old.kilobytes + 1024, "\(old) -> \(new)")
                    #expect(new.kilobytes <= 12 * 1024)
                }
                print("figures: soak: \(report)")
            }
        }

        private struct Figures: CustomStringConvertible {
            let descriptors: Int
            let kilobytes: Int

            init(_ processID: Int32) {
                descriptors = ProcessTree.descriptorCount(of: processID)
                kilobytes = ProcessTree.privateKilobytes(of: processID)
            }

            var description: String { "\(descriptors) descriptors, \(kilobytes) KiB private" }
        }
    }
}
