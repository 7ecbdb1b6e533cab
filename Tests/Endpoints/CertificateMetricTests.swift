import AppStoreTraffic
import FastCGI
import Support
import Telemetry
import Testing

@testable import Endpoints

@Suite("The certificates in use")
struct CertificateMetricTests {
    private static let name = "retentiond_certificate_not_after_timestamp_seconds"

    private static func page(_ world: EndpointWorld) -> ExpositionCheck {
        let parameters = world.parameters(["RETENTION_ENDPOINT": "metrics", "REQUEST_METHOD": "GET"])
        let body = world.answer(parameters, []).body
        return ExpositionCheck(String(decoding: body, as: UTF8.self))
    }

    private static func status(_ world: EndpointWorld) -> String {
        String(decoding: StatusTests.page(world, "json").body, as: UTF8.self)
    }

    @Test("are in metrics and status: anchors from the start, leaf and intermediate with the first answer")
    func pages() throws {
        let world = try EndpointWorld()
        let end = Double(world.now / 1000 + 86_400)
        #expect(Self.page(world).value(Self.name, ["position": "anchor"]) == end)
        #expect(Self.page(world).samples(Self.name).count == 1)
        let foreign = try EndpointWorld()
        _ = world.answer(world.parameters(), try foreign.body())
        _ = world.answer(world.parameters(), try world.body { $0.appAppleId = 1 })
        world.handler.turnEnded(FastCGICounts())
        #expect(Self.page(world).samples(Self.name).count == 1, "only accepted requests count")
        #expect(!Self.status(world).contains("\"leaf ends\":"))
        _ = world.answer(world.parameters(), try world.body())
        world.handler.turnEnded(FastCGICounts())
        for position in ["leaf", "intermediate", "anchor"] {
            #expect(Self.page(world).value(Self.name, ["position": position]) == end, "\(position)")
            #expect(Self.status(world).contains("\"\(position) ends\":"), "\(position)")
        }
    }
}
