import CertificateAuthority
import HTTPLoad
import Support
import System
import Testing

extension EndToEnd {
    @Suite("An attack with unknown certificate chains")
    struct AttackTests {
        /// The attacker's requests a second. A slow machine answers fewer.
        private static let rate = 2000.0

        private static func wait(for client: LoadClient, answers: Int) throws {
            let wanted = client.answered + answers
            let isAnswered = Patience.wait(seconds: 120) { client.answered >= wanted }
            try #require(isAnswered, "\(client.answered) of \(wanted)")
        }

        @Test(
            "makes no valid request fail, not even after a HUP and the death of a worker",
            arguments: Attack.allCases)
        func attack(attack: Attack) throws {
            try Tester.run { tester in
                let report = try tester.underLoad { client in
                    // Every worker has verified the valid chain before the attack begins, as on every day but the first.
                    try Self.wait(for: client, answers: 1000)
                    let template = try attack.template(tester.forge, path: TestTraffic.path)
                    let attacker = LoadClient(tester.flood(template, perSecond: Self.rate))
                    let attacking = try attacker.start()
                    defer { attacker.stop() }
                    try Self.wait(for: attacker, answers: 500)
                    try TestRules.new.push(to: tester)
                    try tester.reload()
                    // Workers that start now learn the valid chain from the supervisor's hints.
                    try Processes.send(.kill, to: #require(try tester.workers.last))
                    try Self.wait(for: attacker, answers: 500)
                    attacker.stop()
                    let damage = try #require(attacking.join())
                    #expect(damage.unanswered == 0, "\(damage)")
                    let codes = attack == .ownRoot ? ["anchor-unknown"] : ["chain-invalid", "chain-budget"]
                    for answer in damage.answers.keys {
                        #expect(codes.contains { answer.body.contains("\"\($0)\"") }, "\(answer)")
                    }
                }
                print("figures: \(attack.rawValue) at \(Int(Self.rate))/s: sound \(report)")
                #expect(report.failures == 0, "\(report)")
            }
        }

        @Test("does not keep out a new leaf: all workers soon know it")
        func newLeaf() throws {
            try Tester.run { tester in
                try tester.send(300)
                let template = try Attack.junkLeaf.template(tester.forge, path: TestTraffic.path)
                let attacker = LoadClient(tester.flood(template, perSecond: Self.rate))
                let attacking = try attacker.start()
                defer { attacker.stop() }
                // This uses up the chains that a worker may verify at once after a quiet time.
                try Self.wait(for: attacker, answers: 600)
                // Each invented leaf comes once. A leaf that comes to a worker for the second time is the first to use the
                // budget for chains that come again. So with two workers the new leaf is verified after three requests, and
                // the other worker knows it a few requests later. If it had to compete with the invented leaves, with a
                // chance of one in a hundred, four new leaves would not be verified within ten requests each.
                for number in 1...4 {
                    let body = try tester.forge.body(leaf: tester.forge.leaf())
                    let asked = try Self.requestsUntilServed(tester, body)
                    print("figures: new leaf \(number) among invented ones: in after \(asked) requests")
                    #expect(asked <= 10)
                }
                attacker.stop()
                #expect(attacking.join() != nil)
            }
        }

        /// Sends a request again and again, and returns how many came before 20 that were answered in a row, so that both
        /// workers have answered some of them.
        private static func requestsUntilServed(_ tester: Tester, _ body: [UInt8]) throws -> Int {
            var (asked, inARow) = (0, 0)
            while inARow < 20, asked < 600 {
                asked += 1
                inARow = tester.post(body)?.status == 200 ? inARow + 1 : 0
                Patience.pause(milliseconds: 30)
            }
            try #require(inARow == 20, "not accepted after \(asked) requests")
            return asked - inARow
        }
    }
}
