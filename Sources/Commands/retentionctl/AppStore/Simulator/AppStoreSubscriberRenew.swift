internal import ArgumentParser
internal import JSON

/// Renews a subscription.
struct AppStoreSubscriberRenew: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "renew",
        abstract: "A subscription renews for each period that has ended.",
        discussion: """
            Each notification is signed at the time when its period begins. Apple may charge a renewal up to a day before the \
            period begins: --ahead also renews the period that ends within 24 hours. Ends with 1 if there is nothing to renew.

            Example:
              retentionctl appstore subscriber renew 2000000001 \\
                --url https://localhost:8444 \\
                --cacert ./authority/tls-authority.pem
            """
    )

    @Flag(help: "Also renew the period that ends within 24 hours.")
    var ahead = false

    @OptionGroup var customer: SimulatedCustomerOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        try customer.play("renewal", [("isAhead", .boolean(ahead))]).show(json: output.json)
    }
}
