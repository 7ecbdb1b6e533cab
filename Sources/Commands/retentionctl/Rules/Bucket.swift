internal import ArgumentParser
internal import Decisions
internal import JSON
internal import RulesCompiler
internal import RulesReading

/// Prints the bucket of a unit.
struct Bucket: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "bucket",
        abstract: "Prints the bucket, 0 to 9999, of a unit under a salt.",
        discussion: """
            A holdout or a rollout of N basis points takes the buckets below N. The arms of variants take their \
            buckets in the order in which the rules list the arms. The unit is the originalTransactionId, unless the \
            rules name a fact.

            Example:
              retentionctl bucket holdout-2026q4 2000000001
            """
    )

    @Argument(help: "The salt as it stands in the rules.")
    var salt: String

    @Argument(help: "The value that is hashed with the salt, usually an originalTransactionId.")
    var unit: String

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard RulesSource.takesSalt(salt) else {
            throw ValidationError(
                "Rules cannot have this salt. A salt is not empty, has no control character, and has at most "
                    + "\(RulesSourceLimits.stringByteCount) bytes."
            )
        }
        // Argument bytes that are not UTF-8 arrive as this character. Their bucket would be the bucket of another unit.
        guard ![salt, unit].contains(where: { $0.unicodeScalars.contains("\u{FFFD}") }) else {
            throw ValidationError(
                "Salt and unit must be UTF-8 without U+FFFD, the character that replaces invalid bytes."
            )
        }
    }

    func run() {
        let hash = Bucketing.hash(salt: salt, unit: unit)
        let bucket = Bucketing.bucket(ofHash: hash)
        guard output.json else {
            Console.print("\(bucket)")
            return
        }
        Console.print(
            .object([
                ("salt", .string(salt)), ("unit", .string(unit)), ("hash", .integer(Int64(hash))),
                ("bucket", .integer(Int64(bucket))),
            ])
        )
    }
}
