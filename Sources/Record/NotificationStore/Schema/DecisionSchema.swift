internal import SQL

/// The tables of the decision logs, which `report` reads. Logs can be read again, so no row of them is in an export.
extension StoreSchema {
    static let version3: [SQLText] = [decisions, decisionDraws, decisionRules, decisionInstances]

    /// The order of the key is that of reading and of an import, so both touch each page once.
    static let decisions: SQLText = """
        -- The first decision about a subscriber of those with the same rules file and the same draws. Later ones say nothing
        -- new: an experiment counts a subscriber once, at the first draw.
        CREATE TABLE decisions (
            -- Pseudonym of the subscriber in the decision logs, 16 bytes.
            subscriber BLOB NOT NULL,
            -- The row of decision_draws: what was drawn, by which rules.
            draws INTEGER NOT NULL,
            -- Time of the request. Source: signedDate.
            signed_at INTEGER NOT NULL,
            -- Identifier of the request, 16 bytes. Source: requestIdentifier.
            request_identifier BLOB NOT NULL,
            -- Product of the subscription. Source: product.
            product_id TEXT NOT NULL,
            -- Kind of the answer: none, message, switch, offer or advancedCommerce. Source: served.
            served TEXT NOT NULL,
            PRIMARY KEY (subscriber, draws)
        ) STRICT, WITHOUT ROWID;
        """

    static let decisionDraws: SQLText = """
        -- What was drawn in the decisions, each combination once.
        CREATE TABLE decision_draws (
            -- The first 8 bytes of the SHA-256 of digest and draws: the same in every store.
            id INTEGER NOT NULL PRIMARY KEY,
            -- Apple ID of the app.
            app INTEGER NOT NULL,
            -- Production or Sandbox.
            environment TEXT NOT NULL,
            -- SHA-256 of the rules file.
            digest TEXT NOT NULL,
            -- JSON: treated, heldOut or notDrawn, then rule, arm and failed step of each draw; without a step the rule served.
            draws TEXT NOT NULL
        ) STRICT;
        """

    static let decisionRules: SQLText = """
        -- Rules files that the decision logs name, with their experiments.
        CREATE TABLE decision_rules (
            -- SHA-256 of the rules file.
            digest TEXT NOT NULL PRIMARY KEY,
            -- Apple ID of the app.
            app INTEGER NOT NULL,
            -- Production or Sandbox.
            environment TEXT NOT NULL,
            -- JSON, as in the logs. Source: experiments.
            experiments TEXT NOT NULL
        ) STRICT;
        """

    static let decisionInstances: SQLText = """
        -- Workers that wrote the decision logs, and which of their records were read. The numbers of a worker begin with 1, so
        -- what is missing was lost.
        CREATE TABLE decision_instances (
            -- Name of the worker. Source: instance.
            instance TEXT NOT NULL PRIMARY KEY,
            -- Fingerprint of the key of its pseudonyms; NULL: that line was not read. Source: identifierKey.
            identifier_key TEXT,
            -- SHA-256 of the rules files that it served, with a space between.
            digests TEXT NOT NULL,
            -- Numbers of its records that were read, such as 1-4000 4002. Source: sequence.
            seen TEXT NOT NULL,
            -- Number of its last record; NULL: it still runs, was killed, or the line was not read. Source: sequence of end.
            last_sequence INTEGER,
            -- Time of its first record that was read. Source: time.
            first_at INTEGER,
            -- Time of its last record that was read. Source: time.
            last_at INTEGER
        ) STRICT;
        """
}
