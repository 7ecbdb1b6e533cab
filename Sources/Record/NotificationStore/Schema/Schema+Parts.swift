internal import SQL

extension StoreSchema {
    static let transactions: SQLText = """
        -- Signed transactions, one row for each JWS. Times are milliseconds since 1970-01-01 UTC. A column is NULL when the
        -- payload has no such value, or when the value does not fit; the column unfit names the latter.
        CREATE TABLE transactions (
            -- Number in the order of storing. A number is never used again.
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            -- SHA-256 of the JWS as it was received.
            digest BLOB NOT NULL,
            -- Bundle identifier of the app.
            app TEXT NOT NULL,
            -- Production or Sandbox.
            environment TEXT NOT NULL,
            -- How it came first: push, history, import, or api (a call of the App Store Server API).
            source TEXT NOT NULL,
            -- Time at which this program got it first. Source: this machine's clock.
            received_at INTEGER NOT NULL,
            -- Time at which Apple signed it. Source: signedDate.
            signed_at INTEGER,
            -- Identifier of the subscription. Source: originalTransactionId.
            original_transaction_id TEXT,
            -- Identifier of the purchase or renewal. Source: transactionId.
            transaction_id TEXT,
            -- Identifier of the period of a subscription. Source: webOrderLineItemId.
            web_order_line_item_id TEXT,
            -- Identifier that the subscription had before it moved to Advanced Commerce. Source: previousOriginalTransactionId.
            previous_original_transaction_id TEXT,
            -- Identifier of the customer's download of the app. Source: appTransactionId.
            app_transaction_id TEXT,
            -- The app's own identifier of the customer. Source: appAccountToken.
            app_account_token TEXT,
            -- Product. Source: productId.
            product_id TEXT,
            -- Subscription group of the product. Source: subscriptionGroupIdentifier.
            subscription_group_id TEXT,
            -- Kind of product, such as Auto-Renewable Subscription. Source: type.
            type TEXT,
            -- PURCHASED, FAMILY_SHARED or ASSIGNED. Source: inAppOwnershipType.
            ownership TEXT,
            -- Start of the period, or time of the purchase. Source: purchaseDate.
            purchased_at INTEGER,
            -- Time of the first purchase. Source: originalPurchaseDate.
            originally_purchased_at INTEGER,
            -- End of the period. Source: expiresDate.
            expires_at INTEGER,
            -- Number of items or seats. Source: quantity.
            quantity INTEGER,
            -- PURCHASE or RENEWAL. Source: transactionReason.
            reason TEXT,
            -- SEAT_ADDITION when seats were added during a period. Source: additionalTransactionReason.
            additional_reason TEXT,
            -- 1 when an upgrade ended the period early. Source: isUpgraded.
            is_upgraded INTEGER,
            -- Price in thousandths of the currency unit; of one seat where there are seats. Source: price.
            price INTEGER,
            -- Currency of the price, ISO 4217. Source: currency.
            currency TEXT,
            -- Country of the App Store, three letters. Source: storefront.
            storefront TEXT,
            -- 1 introductory, 2 promotional, 3 offer code, 4 win-back, 5 retention offer. Source: offerType.
            offer_type INTEGER,
            -- Identifier of the offer. Source: offerIdentifier.
            offer_identifier TEXT,
            -- FREE_TRIAL, PAY_AS_YOU_GO, PAY_UP_FRONT or ONE_TIME. Source: offerDiscountType.
            offer_discount_type TEXT,
            -- Length of the offer, ISO 8601. Source: offerPeriod.
            offer_period TEXT,
            -- Time at which Apple refunded or revoked it. Source: revocationDate.
            revoked_at INTEGER,
            -- 0 other reason, 1 a problem of the app. Source: revocationReason.
            revocation_reason INTEGER,
            -- REFUND_FULL, REFUND_PRORATED, FAMILY_REVOKE or ASSIGNMENT_REVOKE. Source: revocationType.
            revocation_type TEXT,
            -- Share of the price that was refunded, in thousandths of a percent. Source: revocationPercentage.
            revocation_percentage INTEGER,
            -- BILLED_UPFRONT or MONTHLY. Source: billingPlanType.
            billing_plan TEXT,
            -- Number of the billing period in a commitment. Source: commitmentInfo.billingPeriodNumber.
            commitment_period INTEGER,
            -- Number of billing periods of the commitment. Source: commitmentInfo.totalBillingPeriods.
            commitment_periods INTEGER,
            -- SKU of the one item of Advanced Commerce. Source: advancedCommerceInfo.items.
            sku TEXT,
            -- Names of columns whose values did not fit, with a space between; NULL when all values fit.
            unfit TEXT,
            -- The row of headers with the header.
            header_id INTEGER,
            -- Signature, decoded.
            signature BLOB,
            -- Payload, decoded: JSON.
            payload BLOB,
            -- The whole JWS as it was received, when it cannot be rebuilt from the parts. Otherwise NULL.
            raw BLOB
        ) STRICT;
        """

    static let renewals: SQLText = """
        -- Signed renewal infos, one row for each JWS. Times are milliseconds since 1970-01-01 UTC. A column is NULL when the
        -- payload has no such value, or when the value does not fit; the column unfit names the latter.
        CREATE TABLE renewals (
            -- Number in the order of storing. A number is never used again.
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            -- SHA-256 of the JWS as it was received.
            digest BLOB NOT NULL,
            -- Bundle identifier of the app. The payload has none, so it is that of the notification or the call.
            app TEXT NOT NULL,
            -- Production or Sandbox.
            environment TEXT NOT NULL,
            -- How it came first: push, history, import, or api (a call of the App Store Server API).
            source TEXT NOT NULL,
            -- Time at which this program got it first. Source: this machine's clock.
            received_at INTEGER NOT NULL,
            -- Time at which Apple signed it. Source: signedDate.
            signed_at INTEGER,
            -- Identifier of the subscription. Source: originalTransactionId.
            original_transaction_id TEXT,
            -- Identifier of the customer's download of the app. Source: appTransactionId.
            app_transaction_id TEXT,
            -- The app's own identifier of the customer, for the coming renewal. Source: appAccountToken.
            app_account_token TEXT,
            -- Product of the current period. Source: productId.
            product_id TEXT,
            -- Product of the coming period. Source: autoRenewProductId.
            renewal_product_id TEXT,
            -- 0 off, 1 on. Source: autoRenewStatus.
            auto_renew_status INTEGER,
            -- Why it ended: 1 cancelled, 2 billing, 3 price, 4 product gone, 5 other. Source: expirationIntent.
            expiration_intent INTEGER,
            -- 1 while the App Store tries to collect the price. Source: isInBillingRetryPeriod.
            is_in_billing_retry INTEGER,
            -- End of the grace period. Source: gracePeriodExpiresDate.
            grace_period_expires_at INTEGER,
            -- 0 the customer has not answered a price increase, 1 agreed. Source: priceIncreaseStatus.
            price_increase_status INTEGER,
            -- Start of the latest time of service without a long lapse. Source: recentSubscriptionStartDate.
            subscribed_at INTEGER,
            -- Time of the coming renewal; may lie in the past. Source: renewalDate.
            renews_at INTEGER,
            -- Price of the coming period in thousandths of the currency unit, discount included. Source: renewalPrice.
            renewal_price INTEGER,
            -- Currency of the price, ISO 4217. Source: currency.
            currency TEXT,
            -- Number of seats of the coming period. Source: renewalQuantity.
            renewal_quantity INTEGER,
            -- Offer of the coming period: 1 introductory, 2 promotional, 3 code, 4 win-back, 5 retention. Source: offerType.
            offer_type INTEGER,
            -- Identifier of the offer. Source: offerIdentifier.
            offer_identifier TEXT,
            -- FREE_TRIAL, PAY_AS_YOU_GO, PAY_UP_FRONT or ONE_TIME. Source: offerDiscountType.
            offer_discount_type TEXT,
            -- Length of the offer, ISO 8601. Source: offerPeriod.
            offer_period TEXT,
            -- BILLED_UPFRONT or MONTHLY. Source: renewalBillingPlanType.
            renewal_billing_plan TEXT,
            -- SKU of the one item of Advanced Commerce. Source: advancedCommerceInfo.items.
            sku TEXT,
            -- Names of columns whose values did not fit, with a space between; NULL when all values fit.
            unfit TEXT,
            -- The row of headers with the header.
            header_id INTEGER,
            -- Signature, decoded.
            signature BLOB,
            -- Payload, decoded: JSON.
            payload BLOB,
            -- The whole JWS as it was received, when it cannot be rebuilt from the parts. Otherwise NULL.
            raw BLOB
        ) STRICT;
        """

    static let appTransactions: SQLText = """
        -- Signed app transactions, one row for each JWS. Times are milliseconds since 1970-01-01 UTC. A column is NULL when
        -- the payload has no such value, or when the value does not fit; the column unfit names the latter.
        CREATE TABLE app_transactions (
            -- Number in the order of storing. A number is never used again.
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            -- SHA-256 of the JWS as it was received.
            digest BLOB NOT NULL,
            -- Bundle identifier of the app.
            app TEXT NOT NULL,
            -- Production or Sandbox.
            environment TEXT NOT NULL,
            -- How it came first: push, history, import, or api (a call of the App Store Server API).
            source TEXT NOT NULL,
            -- Time at which this program got it first. Source: this machine's clock.
            received_at INTEGER NOT NULL,
            -- Time at which Apple signed it. Source: receiptCreationDate.
            signed_at INTEGER,
            -- Identifier of the customer's download of the app. Source: appTransactionId.
            app_transaction_id TEXT,
            -- Apple's number of the app. Source: appAppleId.
            app_apple_id INTEGER,
            -- Version of the app. Source: applicationVersion.
            application_version TEXT,
            -- Version of the app that the customer got first. Source: originalApplicationVersion.
            original_application_version TEXT,
            -- Platform on which the customer got the app first. Source: originalPlatform.
            original_platform TEXT,
            -- Time at which the customer got the app first. Source: originalPurchaseDate.
            originally_purchased_at INTEGER,
            -- Time at which the customer ordered the app before its release. Source: preorderDate.
            preordered_at INTEGER,
            -- Names of columns whose values did not fit, with a space between; NULL when all values fit.
            unfit TEXT,
            -- The row of headers with the header.
            header_id INTEGER,
            -- Signature, decoded.
            signature BLOB,
            -- Payload, decoded: JSON.
            payload BLOB,
            -- The whole JWS as it was received, when it cannot be rebuilt from the parts. Otherwise NULL.
            raw BLOB
        ) STRICT;
        """

    static let partIndexes: [SQLText] = [
        "CREATE UNIQUE INDEX transactions_digest ON transactions (digest);",
        "CREATE INDEX transactions_subscriber ON transactions (original_transaction_id);",
        """
        CREATE INDEX transactions_previous ON transactions (previous_original_transaction_id)
            WHERE previous_original_transaction_id IS NOT NULL;
        """,
        "CREATE INDEX transactions_customer ON transactions (app_transaction_id);",
        "CREATE UNIQUE INDEX renewals_digest ON renewals (digest);",
        "CREATE INDEX renewals_subscriber ON renewals (original_transaction_id);",
        "CREATE INDEX renewals_customer ON renewals (app_transaction_id);",
        "CREATE UNIQUE INDEX app_transactions_digest ON app_transactions (digest);",
        "CREATE INDEX app_transactions_customer ON app_transactions (app_transaction_id);",
    ]
}
