internal import ArgumentParser

/// The commands that sign what the service signs.
struct Sign: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign",
        abstract: "Makes the service's signatures by hand.",
        discussion: """
            Example:
              retentionctl sign offer --key key.p8 --key-id 2X9R4HXF34 \\
                --bundle-id com.example.app \\
                --issuer-id 57246542-96fe-1a63-e053-0824d011072a \\
                --product pro_monthly --offer save50_3m \\
                --transaction 2000000001
            """,
        subcommands: [SignOffer.self]
    )
}
