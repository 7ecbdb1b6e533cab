import DataFiles
import Testing

@Suite("Names of data files")
struct DataFileNameTests {
    @Test(
        "have letters, digits, `-`, `_` and `.`, and end with the kind of file",
        arguments: [
            ("a.rules", true), ("A-1_b.c.rules", true), ("-a.facts", true), ("9.rules", true),
            (".a.rules", false),
            (".rules", false), ("a.rules.tmp", false), ("a.rule", false), ("a b.rules", false),
            ("é.rules", false),
            ("a/b.rules", false), ("", false), ("rules", false), ("a.RULES", false),
        ]
    )
    func names(name: String, isData: Bool) {
        #expect((DataFileName.kind(of: name) != nil) == isData)
    }
}
