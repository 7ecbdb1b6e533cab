import Authoring
import System
import Testing

@Suite("The name of a host")
struct PublishHostTests {
    @Test(
        "is a name or an address, perhaps with a user",
        arguments: [
            ("local", PublishHost.local), ("one", .remote(user: nil, name: "one")),
            ("deploy@one.example.com", .remote(user: "deploy", name: "one.example.com")),
            ("192.0.2.7", .remote(user: nil, name: "192.0.2.7")),
            ("deploy@2001:db8::7", .remote(user: "deploy", name: "2001:db8::7")),
            ("::1", .remote(user: nil, name: "::1")), ("a-b_c.D9", .remote(user: nil, name: "a-b_c.D9")),
        ]
    )
    func good(text: String, host: PublishHost) throws {
        #expect(try PublishHost(text) == host)
        #expect(try PublishHost(text).description == text)
    }

    @Test(
        "is refused when a shell, ssh or rsync could take it for something else",
        arguments: [
            "", "-", "-oProxyCommand=x", "deploy@-oProxyCommand=x", "-l@one", "@one", "one@", "a@b@c",
            "one two",
            "one\n", "\none", "one;id", "$(id)", "`id`", "one'", "one\"", "one\\", "one/two", "rsync://one",
            "one*", "~one", "[::1]", "ünï", ":one", "a:b@one", "one\u{0}", "one\u{7f}", "one,two",
            String(repeating: "a", count: 256),
        ]
    )
    func bad(text: String) {
        let error = #expect(throws: ToolError.self) { try PublishHost(text) }
        #expect(error?.code == "publish.bad-argument")
    }
}
