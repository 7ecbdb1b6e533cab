import Endpoints
import Support
import Testing

@Suite("The names of endpoints")
struct EndpointNameTests {
    @Test("each have a location in nginx's shipped files", arguments: EndpointName.allCases)
    func location(name: EndpointName) throws {
        let text = try ["retentiond.conf", "retentiond-notifications.conf"].map { file in
            String(decoding: try SourceFile.read(SourceFile.root + "/nginx/" + file), as: UTF8.self)
        }
        .joined()
        let words = text.split { " \t\n;".contains($0) }
        let places = words.indices.filter { words[$0] == "RETENTION_ENDPOINT" }
        #expect(places.contains { words[$0 + 1] == name.rawValue }, "no location passes \(name.rawValue)")
    }
}
