/// `--cgi`: one request from the environment and standard input.
enum CGIProcess {
    static func run(_ arguments: Arguments) -> Int32 {
        Output.error("retentiond: --cgi is not wired yet\n")
        return 70
    }
}
