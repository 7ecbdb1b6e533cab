internal import ArgumentParser

/// The operations of Apple's Retention Messaging API, one command for each.
struct Apple: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apple",
        abstract:
            "Calls Apple's Retention Messaging API: messages, images, defaults, the URL, performance tests.",
        discussion: """
            Each command is one operation for one app in one environment. Apple allows a number of calls of each kind \
            in an hour; a command waits when they are used up. Nothing is deleted or replaced without --confirm or a \
            yes on a terminal.

            Example:
              export RETENTIONCTL_KEY_FILE=SubscriptionKey_2X9R4HXF34.p8
              export RETENTIONCTL_KEY_ID=2X9R4HXF34
              export RETENTIONCTL_ISSUER_ID=57246542-96fe-1a63-e053-0824d011072a
              export RETENTIONCTL_BUNDLE_ID=com.example.app
              retentionctl apple auth --environment Sandbox
              retentionctl apple message list --environment Sandbox
            """,
        subcommands: [
            AppleAuth.self, AppleMessage.self, AppleImage.self, AppleDefault.self, AppleURL.self,
            ApplePerformanceTest.self,
        ]
    )
}
