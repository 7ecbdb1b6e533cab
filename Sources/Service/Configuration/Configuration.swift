public import SignedPayloads
/// What `retentiond.json` says, validated: every value is in its range, every cross-check holds.
///
/// A property is named as its key in the file; the value it is declared with is the key's default. Contract: the
/// configuration table of the README and `examples/retentiond.schema.json`, held together by a test.
public struct Configuration: Sendable, Hashable {
    /// `listen`: where FastCGI requests are accepted. Restart.
    public var listen = ListenAddress.unix(path: "/run/retentiond/retentiond.sock")
    /// `listenMode`: permission bits of the unix socket, in the file an octal string such as `"0660"`. Restart.
    public var listenMode: UInt32 = 0o660
    /// `listenOwner`: user that owns the unix socket; nil means `user`. Restart.
    public var listenOwner: String?
    /// `listenGroup`: group of the unix socket, the one nginx runs in. Restart.
    public var listenGroup = "www-data"
    /// `backlog`: connections the kernel queues; a full queue is an immediate 502 in nginx. Restart.
    public var backlog = 511

    /// `user`: the whole pool runs as this user; nil means as started. Restart.
    public var user: String?
    /// `group`: the whole pool runs in this group; nil means the group of `user`, or as started. Restart.
    public var group: String?

    /// `workers`: number of worker processes; 0 means one for each processor core. Applied on HUP.
    public var workers = 0
    /// `maxRequests`: a worker is replaced after about this many requests; 0 means never. Applied on HUP.
    public var maxRequests = 0
    /// `drainMilliseconds`: how long TERM waits for requests in flight. Applied on HUP.
    public var drainMilliseconds = 5000
    /// `reloadIntervalMilliseconds`: reloads begin at least this far apart; 0 means as fast as they come. Restart.
    public var reloadIntervalMilliseconds: Int64 = 1000

    /// `dataDirectory`: where `*.rules` and `*.facts` files are pushed to. Restart.
    public var dataDirectory = "/var/lib/retentiond/data"
    /// `stateDirectory`: last good generation, reload verdict, chain hints and keys made by us. Restart.
    public var stateDirectory = "/var/lib/retentiond/state"
    /// `pidFile`: where the supervisor writes its process number. Restart.
    public var pidFile = "/run/retentiond/retentiond.pid"

    /// `anchors`: PEM files that replace Apple's built-in roots; empty means Apple's. Applied on HUP.
    public var anchors: [String] = []
    /// `apps`: the apps whose requests are answered; never empty, no `appAppleId` twice. Applied on HUP.
    public var apps: [AppConfiguration]

    /// `maxSignedAgeSeconds`: a retention message signed longer ago is refused; 0 means never. Applied on HUP.
    public var maxSignedAgeSeconds: Int64 = 300
    /// `validityTime`: the instant at which certificates of a retention message must be valid. Applied on HUP.
    public var validityTime = ValidityTime.now
    /// `revocation`: whether OCSP is asked. Applied on HUP.
    public var revocation = Revocation.off
    /// `noAnswer`: what is sent when the rules say "none". Applied on HUP.
    public var noAnswer = NoAnswer.status
    /// `deadlineMilliseconds`: from when nginx received a request; a later answer is a 503. Applied on HUP.
    public var deadlineMilliseconds: Int64 = 600

    /// `limits`: how many bytes of each kind are accepted. Applied on HUP.
    public var limits = ByteLimits()

    /// `allowDowngrade`: whether rules older than the loaded ones may be loaded. Applied on HUP.
    public var allowDowngrade = false
    /// `allowRemoteFastCGI`: whether `listen` may be an address other than loopback. Restart.
    public var allowRemoteFastCGI = false
    /// `coreLimit`: RLIMIT_CORE of the pool in bytes; cores hold payloads, so 0. Restart.
    public var coreLimit: Int64 = 0

    /// `log`: level, format and the decisions file. Applied on HUP.
    public var log = LogSettings()
    /// `slowMilliseconds`: a request that took longer is logged with the time of its verification and
    /// in all; 0 means never. Applied on HUP.
    public var slowMilliseconds: Int64 = 200
    /// `identifierKeyFile`: key that turns subscriber identifiers into those of the decision log; nil means one made
    /// once in `stateDirectory`. Applied on HUP.
    public var identifierKeyFile: String?

    /// The defaults, for these apps.
    public init(apps: [AppConfiguration]) {
        self.apps = apps
    }

    /// The user that owns the unix socket: `listenOwner`, else `user`, else nil for as started.
    public var socketOwner: String? { listenOwner ?? user }

    /// The directory of the unix socket; nil for another kind of socket.
    public var socketDirectory: String? {
        guard case .unix(let path) = listen, let slash = path.lastIndex(of: "/"), slash > path.startIndex
        else {
            return nil
        }
        return String(path[..<slash])
    }

    /// `identifierKeyFile`, or where the daemon makes one.
    public var identifierKeyPath: String { identifierKeyFile ?? "\(stateDirectory)/identifier.key" }

    /// Whether any anchor other than Apple's built-in roots is trusted; said at start, in `-t` and in `status`.
    public var trustsCustomAnchors: Bool {
        !anchors.isEmpty || apps.contains { !$0.anchors.isEmpty }
    }
}
