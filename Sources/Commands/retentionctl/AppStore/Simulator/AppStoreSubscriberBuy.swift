internal import ArgumentParser
internal import JSON

/// Buys a subscription.
struct AppStoreSubscriberBuy: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "buy",
        abstract: "A customer buys a subscription.",
        discussion: """
            The purchase may lie in the past; then the notification is signed at that time. The certificates of `appstore \
            init` are valid from two years before they were made.

            Example:
              retentionctl appstore subscriber buy 2000000001 \\
                --product pro_monthly --at 2026-06-01T10:00:00Z \\
                --url https://localhost:8444 \\
                --cacert ./authority/tls-authority.pem
            """
    )

    @Option(help: ArgumentHelp("The product, one of --subscription of `appstore serve`.", valueName: "id"))
    var product: String

    @Option(
        help: ArgumentHelp(
            "The time of the purchase: RFC 3339 or milliseconds since 1970; now if absent.", valueName: "time"
        )
    )
    var at: TimeArgument?

    @OptionGroup var customer: SimulatedCustomerOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        var members: [(String, JSONNode)] = [("productId", .string(product))]
        if let at { members.append(("date", .integer(at.milliseconds))) }
        try customer.play("purchase", members).show(json: output.json)
    }
}
