import HTTPLoad
import Support
import System
import Testing

extension EndToEnd {
    @Suite("An attack with unknown certificate chains")
    struct AttackTests {
        @Test(
            "makes no valid request fail, not even after a HUP and the death of a worker",
            arguments: Attack.allCases,
            [500.0, 2000]
        )
        func attack(attack: Attack, rate: Double) throws {
            try Tester.run { tester in
                let report = try tester.underLoad { client in
                    // Every worker has verified the valid chain before the attack begins, as on every day but the
                    // first.
                    #expect(Patience.wait(seconds: 60) { client.answered > 1000 })
                    let flood = try tester.flood(
                        attack.template(tester.forge, path: TestTraffic.path), perSecond: rate)
                    let attacker = LoadClient(flood)
                    let attacking = try attacker.start()
                    defer { attacker.stop() }
                    #expect(Patience.wait(seconds: 60) { attacker.answered > 500 })
                    try TestRules.new.push(to: tester)
                    try tester.daemon.send(.hangup)
                    #expect(try tester.daemon.waitForLog("reload accepted"))
                    // Workers that start now learn the valid chain from the supervisor's hints.
                    let victim = try #require(try tester.workers.last)
                    try Processes.send(.kill, to: victim)
                    let answered = attacker.answered
                    #expect(Patience.wait(seconds: 60) { attacker.answered > answered + 500 })
                    attacker.stop()
                    let damage = try #require(attacking.join())
                    // Every request of the attacker was refused, with the right code.
                    #expect(damage.unanswered == 0, "\(damage)")
                    for answer in damage.answers.keys {
                        let codes =
                            attack == .ownRoot ? ["anchor-unknown"] : ["chain-invalid", "chain-budget"]
                        #expect(codes.contains { answer.body.contains("\"\($0)\"") }, "\(answer)")
                    }
                }
                print("figures: \(attack.rawValue) at \(Int(rate))/s: sound \(report)")
                #expect(report.failures == 0, "\(report)")
            }
        }

        @Test("makes workers check only a few chains a second; the test prints the processor time")
        func budget() throws {
            try Tester.run { tester in
                let warm = LoadClient(try tester.load(connections: 8).with { $0.requestLimit = 500 }).run()
                #expect(warm.failures == 0, "\(warm)")
                let cheap = try cost(of: TestTraffic.badBase64(tester.forge), tester).microseconds
                for attack in Attack.allCases {
                    let template = try attack.template(tester.forge, path: TestTraffic.path)
                    let (checked, microseconds) = try cost(of: template, tester)
                    let name = "\(attack.rawValue): \(checked) of 800 chains checked"
                    print("figures: \(name), \(microseconds) us of workers a request, bad base64 \(cheap) us")
                    #expect(checked < 400, "\(attack.rawValue)")
                }
            }
        }

        /// Sends 800 bad requests and returns how many of their chains the workers checked to the end, and the
        /// processor time of all workers for one of these requests. Before that it sends 400 requests, which use up the
        /// chains that a worker may check at once after a quiet time.
        private func cost(of template: AttackTemplate, _ tester: Tester) throws -> (
            checked: Int, microseconds: Int
        ) {
            let flood = try tester.flood(template, perSecond: 500)
            _ = LoadClient(flood.with { $0.requestLimit = 400 }).run()
            let before = try tester.workers.reduce(0) { $0 + ProcessTree.processorMicroseconds(of: $1) }
            let report = LoadClient(flood.with { $0.requestLimit = 800 }).run()
            let after = try tester.workers.reduce(0) { $0 + ProcessTree.processorMicroseconds(of: $1) }
            let checked = report.answers.filter { $0.key.body.contains("chain-invalid") }.values.reduce(0, +)
            return (checked, (after - before) / max(1, report.answered))
        }

        /// Prints ratios and asserts nothing about them. `Tests/EndToEnd/attack [seconds]` runs this test alone.
        @Test("slows valid requests down by the printed ratios", .enabled(if: Self.seconds != nil))
        func ratios() throws {
            let seconds = Self.seconds ?? 1
            for rate in [500.0, 2000] {
                for attack in Attack.allCases {
                    try Tester.run { tester in
                        let bad = try attack.template(tester.forge, path: TestTraffic.path)
                        let cheap = try TestTraffic.badBase64(tester.forge)
                        let warm = LoadClient(try tester.load(connections: 8).with { $0.seconds = 0.5 }).run()
                        #expect(warm.failures == 0, "\(warm)")
                        var ratios: [Double] = []
                        for pair in 0..<7 {
                            // The order alternates, so that a drift of the machine's speed cancels out.
                            let first = try window(tester, pair % 2 == 0 ? bad : cheap, rate, seconds)
                            let second = try window(tester, pair % 2 == 0 ? cheap : bad, rate, seconds)
                            let (attacked, quiet) = pair % 2 == 0 ? (first, second) : (second, first)
                            ratios.append(attacked / quiet)
                        }
                        ratios.sort()
                        let all = ratios.map { String(Int($0 * 1000)) }.joined(separator: " ")
                        let name = "\(attack.rawValue) at \(Int(rate))/s"
                        let median = Int(ratios[3] * 1000)
                        print("figures: \(name): \(median) thousandths of the rate with bad base64 (\(all))")
                    }
                }
            }
        }

        static var seconds: Double? {
            ProcessEnvironment.value(of: "RETENTION_ATTACK_SECONDS").flatMap { Double($0) }
        }

        /// The rate of valid requests while an attacker sends `template`.
        private func window(_ tester: Tester, _ template: AttackTemplate, _ rate: Double, _ seconds: Double)
            throws -> Double
        {
            let attacker = LoadClient(
                try tester.flood(template, perSecond: rate).with { $0.seconds = seconds }
            )
            let attacking = try attacker.start()
            let report = LoadClient(try tester.load(connections: 8).with { $0.seconds = seconds }).run()
            let damage = attacking.join()
            #expect(report.failures == 0, "\(report)")
            // On a busy machine the attacker too sends fewer requests than it should. The ratio means less then.
            let answered = damage?.answered ?? 0
            if answered < Int(rate * seconds * 0.9) {
                print("figures: only \(answered) attacks were answered")
            }
            return report.goodPerSecond
        }
    }
}

extension Tester {
    /// An open loop of bad requests, each with a different chain.
    func flood(_ template: AttackTemplate, perSecond rate: Double) throws -> LoadPlan {
        LoadPlan(port: plainPort, connections: 64, requests: [template.request]).with {
            $0.patch = template.patch
            $0.ratePerSecond = rate
        }
    }
}
