internal import ArgumentParser

/// Works with notifications of the App Store.
struct Notifications: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notifications",
        abstract: "Works with App Store Server Notifications.",
        discussion: """
            Example:
              retentionctl notifications list --app com.example.app \\
                --store sqlite:/var/lib/retentiond/store/notifications.db
            """,
        subcommands: [
            NotificationsList.self, NotificationsShow.self, NotificationsTail.self,
            NotificationsForward.self, NotificationsTest.self, NotificationsHistory.self,
            NotificationsRecover.self,
        ]
    )
}
