"""Apple's library calls the operations about notifications, subscriptions and transactions, each with success and with each
documented error, and verifies what the simulator signs.

Tests/Interop/run starts it: APPSTORE_SIMULATOR is the program. The simulator and nginx are those of simulator.py.
"""

import base64
import json
import time
import unittest
import uuid
from types import SimpleNamespace

from appstoreserverlibrary.api_client import GetTransactionHistoryVersion
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.models.InAppOwnershipType import InAppOwnershipType
from appstoreserverlibrary.models.NotificationHistoryRequest import NotificationHistoryRequest
from appstoreserverlibrary.models.NotificationTypeV2 import NotificationTypeV2
from appstoreserverlibrary.models.SendAttemptResult import SendAttemptResult
from appstoreserverlibrary.models.Status import Status
from appstoreserverlibrary.models.Subtype import Subtype
from appstoreserverlibrary.models.TransactionHistoryRequest import Order, ProductType, TransactionHistoryRequest
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier, VerificationException
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from simulator import BUNDLE_ID, CLOSED_BUNDLE_ID, KEY_ID, Refused, World, wait_for

APP_APPLE_ID = 6745974591
DAY = 86_400_000
# Errors that the user of the simulator can give to a transaction.
REFUSALS = {"31": 4000002, "32": 4040001, "33": 4040002, "34": 4040003, "35": 4040004}
# The subscribers: two with one period, and one with 45 periods, the last of which was refunded.
ONE, TWO, MANY = "2000000001", "2000010001", "3000000001"
APP_TRANSACTION_OFFSET = 700_000_000


def milliseconds():
    return int(time.time() * 1000)


def history(token=None, start=-3_600_000, end=3_600_000, **more):
    """The arguments of a request about the time around the present."""
    now = milliseconds()
    dates = {"startDate": start and now + start, "endDate": end and now + end}
    return token, NotificationHistoryRequest(**dates, **more)


def any_value(value):
    """A value that is in no enumeration of the library."""
    return SimpleNamespace(value=value)


class Scene(Refused):
    @classmethod
    def start(cls, *options):
        refusals = [word for item in REFUSALS.items() for word in ("--transaction", "=".join(map(str, item)))]
        cls.world = World(*refusals, *options)
        cls.addClassCleanup(cls.world.stop)
        cls.sandbox = cls.world.client(Environment.SANDBOX)
        cls.production = cls.world.client(Environment.PRODUCTION)
        cls.closed = cls.world.client(Environment.SANDBOX, bundle_id=CLOSED_BUNDLE_ID)
        with open(cls.world.authority + "/root.pem", "rb") as file:
            root = x509.load_pem_x509_certificate(file.read()).public_bytes(serialization.Encoding.DER)
        cls.verifiers = {
            environment: SignedDataVerifier([root], False, environment, BUNDLE_ID, APP_APPLE_ID)
            for environment in (Environment.SANDBOX, Environment.PRODUCTION)
        }

    @classmethod
    def notify(cls, environment, *words):
        cls.world.tool(
            *("notify", *words, "--url", cls.world.url(environment)),
            *("--cacert", cls.world.cacert, "--bundle-id", BUNDLE_ID),
        )

    @classmethod
    def set_url(cls, environment, path):
        cls.notify(environment, "--to", f"https://localhost:{cls.world.endpoint}{path}")

    def whole_history(self, client, **more):
        """The items of all pages. Each page but the last has 20, and the same request."""
        token, request = history(**more)
        found = []
        while True:
            page = client.get_notification_history(token, request)
            found += page.notificationHistory
            self.assertEqual(page.hasMore, page.paginationToken is not None)
            if not page.hasMore:
                return found
            self.assertEqual(len(page.notificationHistory), 20)
            token = page.paginationToken

    def calls(self, client):
        """One call of each of the six operations."""
        return [
            lambda: client.get_notification_history(*history()),
            client.request_test_notification,
            lambda: client.get_test_notification_status(f"{uuid.uuid4()}_{milliseconds()}"),
            lambda: client.get_all_subscription_statuses(ONE),
            lambda: client.get_transaction_history(
                ONE, None, TransactionHistoryRequest(), GetTransactionHistoryVersion.V2
            ),
            lambda: client.get_transaction_info(ONE),
        ]


class Recovery(Scene):
    """Two subscribers in Sandbox, and one of 45 periods, whom Production has too."""

    @classmethod
    def setUpClass(cls):
        cls.start()
        for environment in Environment.SANDBOX, Environment.PRODUCTION:
            cls.set_url(environment, "/good")
            cls.notify(environment, "SUBSCRIBED.INITIAL_BUY", *["DID_RENEW"] * 44, "--subscriber", MANY)
        cls.notify(Environment.SANDBOX, "SUBSCRIBED.INITIAL_BUY", "EXPIRED.VOLUNTARY", "--count", "2")
        cls.notify(Environment.SANDBOX, "REFUND", "--subscriber", MANY)
        wait_for(lambda: cls.delivered(cls.sandbox) == 50 and cls.delivered(cls.production) == 45)

    @classmethod
    def delivered(cls, client):
        token, request = history()
        count = 0
        while True:
            page = client.get_notification_history(token, request)
            count += len(page.notificationHistory)
            if not page.hasMore:
                return count
            token = page.paginationToken

    def test_history(self):
        for client, environment, count in (
            (self.sandbox, Environment.SANDBOX, 50), (self.production, Environment.PRODUCTION, 45),
        ):
            found = self.whole_history(client)
            self.assertEqual(len(found), count)
            verifier = self.verifiers[environment]
            decoded = [verifier.verify_and_decode_notification(item.signedPayload) for item in found]
            self.assertEqual(len({item.notificationUUID for item in decoded}), count)
            for item, notification in zip(found, decoded):
                self.assertEqual([each.sendAttemptResult for each in item.sendAttempts], [SendAttemptResult.SUCCESS])
                transaction = verifier.verify_and_decode_signed_transaction(notification.data.signedTransactionInfo)
                renewal = verifier.verify_and_decode_renewal_info(notification.data.signedRenewalInfo)
                self.assertEqual(transaction.originalTransactionId, renewal.originalTransactionId)
                self.assertEqual((notification.data.bundleId, transaction.bundleId), (BUNDLE_ID, BUNDLE_ID))
        with self.assertRaises(VerificationException):
            self.verifiers[Environment.SANDBOX].verify_and_decode_notification(found[0].signedPayload)

    def test_history_filters(self):
        for more, count in (
            ({"notificationType": NotificationTypeV2.DID_RENEW}, 44),
            ({"notificationType": NotificationTypeV2.EXPIRED, "notificationSubtype": Subtype.VOLUNTARY}, 2),
            ({"notificationType": NotificationTypeV2.EXPIRED, "notificationSubtype": Subtype.BILLING_RETRY}, 0),
            ({"transactionId": ONE}, 2), ({"transactionId": MANY}, 46), ({"onlyFailures": True}, 0),
            ({"onlyFailures": False}, 50), ({"start": -2 * DAY, "end": -DAY}, 0),
        ):
            self.assertEqual(len(self.whole_history(self.sandbox, **more)), count, more)

    def test_history_errors(self):
        for code, arguments in (
            (4000006, history(transactionId="x")), (4000012, history(start=-31 * DAY)), (4000013, history(end=-2 * DAY)),
            (4000014, history("abc")), (4000015, history(start=None)),
            (4000016, history(end=None)),
            (4000018, history(notificationType=NotificationTypeV2.DID_RENEW, notificationSubtype=Subtype.INITIAL_BUY)),
            (4000018, history(notificationSubtype=Subtype.INITIAL_BUY)),
            (4000019, history(notificationType=NotificationTypeV2.DID_RENEW, transactionId=ONE)),
            (4040010, history(transactionId="9")), (4040001, history(transactionId="32")),
        ):
            self.assert_refused(code, self.sandbox.get_notification_history, *arguments)
        self.production.get_notification_history(*history(start=-179 * DAY))
        self.assert_refused(4000012, self.production.get_notification_history, *history(start=-181 * DAY))

    def test_history_token_of_yesterday(self):
        _, request = history()
        token = self.sandbox.get_notification_history(None, request).paginationToken
        self.assertEqual(len(self.sandbox.get_notification_history(token, request).notificationHistory), 20)
        # A token has the time at which it was given and the place.
        given, *rest = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)).split(b".")
        old = b".".join([str(int(given) - DAY).encode(), *rest])
        old = base64.urlsafe_b64encode(old).decode().rstrip("=")
        self.assert_refused(4000017, self.sandbox.get_notification_history, old, request)

    def test_statuses(self):
        verifier = self.verifiers[Environment.SANDBOX]
        answer = self.sandbox.get_all_subscription_statuses(ONE)
        self.assertEqual((answer.bundleId, answer.environment), (BUNDLE_ID, Environment.SANDBOX))
        last, = answer.data[0].lastTransactions
        self.assertEqual((last.originalTransactionId, last.status), (ONE, Status.EXPIRED))
        transaction = verifier.verify_and_decode_signed_transaction(last.signedTransactionInfo)
        renewal = verifier.verify_and_decode_renewal_info(last.signedRenewalInfo)
        self.assertEqual((transaction.originalTransactionId, renewal.originalTransactionId), (ONE, ONE))
        self.assertEqual(len(self.sandbox.get_all_subscription_statuses(ONE, [Status.EXPIRED, Status.ACTIVE]).data), 1)
        self.assertEqual(self.sandbox.get_all_subscription_statuses(ONE, [Status.ACTIVE]).data, [])
        answer = self.production.get_all_subscription_statuses(MANY)
        self.assertEqual((answer.appAppleId, answer.environment), (APP_APPLE_ID, Environment.PRODUCTION))
        call = self.sandbox.get_all_subscription_statuses
        self.assert_refused(4000006, call, "two")
        self.assert_refused(4000031, call, ONE, [any_value(6)])
        self.assert_refused(4040010, call, "7")
        for identifier, code in REFUSALS.items():
            self.assert_refused(code, call, identifier)

    def transactions(self, **filters):
        """The transactions of all pages, verified."""
        request, revision, found = TransactionHistoryRequest(**filters), None, []
        while True:
            page = self.sandbox.get_transaction_history(MANY, revision, request, GetTransactionHistoryVersion.V2)
            self.assertEqual((page.bundleId, page.environment), (BUNDLE_ID, Environment.SANDBOX))
            found += page.signedTransactions
            if not page.hasMore:
                verifier = self.verifiers[Environment.SANDBOX]
                return [verifier.verify_and_decode_signed_transaction(item) for item in found]
            self.assertEqual(len(page.signedTransactions), 20)
            revision = page.revision

    def test_transactions(self):
        every = self.transactions()
        self.assertEqual(len({item.transactionId for item in every}), 45)
        self.assertEqual({item.originalTransactionId for item in every}, {MANY})
        down = self.transactions(sort=Order.DESCENDING)
        self.assertEqual([item.transactionId for item in down], [item.transactionId for item in reversed(every)])
        revoked = self.transactions(revoked=True)
        self.assertEqual([item.revocationDate is not None for item in revoked], [True])
        self.assertEqual(len(self.transactions(revoked=False)), 44)
        middle = sorted(item.purchaseDate for item in every)[20]
        self.assertEqual(len(self.transactions(startDate=middle)), 25)
        self.assertEqual(len(self.transactions(endDate=middle)), 20)
        product, group = every[0].productId, every[0].subscriptionGroupIdentifier
        self.assertEqual(len(self.transactions(productIds=["other", product])), 45)
        self.assertEqual(self.transactions(productIds=["other"]), [])
        self.assertEqual(len(self.transactions(subscriptionGroupIdentifiers=[group])), 45)
        self.assertEqual(len(self.transactions(productTypes=[ProductType.AUTO_RENEWABLE])), 45)
        self.assertEqual(self.transactions(productTypes=[ProductType.CONSUMABLE]), [])
        self.assertEqual(len(self.transactions(inAppOwnershipType=InAppOwnershipType.PURCHASED)), 45)

    def test_transaction_errors(self):
        def ask(identifier, revision=None, **filters):
            self.sandbox.get_transaction_history(
                identifier, revision, TransactionHistoryRequest(**filters), GetTransactionHistoryVersion.V2
            )

        for code, filters in (
            (4000005, {"revision": "x"}), (4000015, {"startDate": "x"}), (4000016, {"endDate": -1}),
            (4000021, {"sort": any_value("UP")}), (4000022, {"productTypes": [any_value("X")]}),
            (4000023, {"productIds": [""]}), (4000024, {"subscriptionGroupIdentifiers": ["a"]}),
            (4000026, {"inAppOwnershipType": any_value("LENT")}), (4000030, {"revoked": "maybe"}),
        ):
            self.assert_refused(code, lambda: ask(MANY, **filters))
        # The library does not have the parameter that Apple has replaced by `revoked`.
        path = f"/inApps/v2/history/{MANY}?excludeRevoked=1"
        status, _, body = self.world.raw("GET", path, headers={"Authorization": self.world.token()})
        self.assertEqual((status, json.loads(body)["errorCode"]), (400, 4000025))
        self.assert_refused(4000006, ask, "-1")
        self.assert_refused(4040010, ask, "7")
        for identifier, code in REFUSALS.items():
            self.assert_refused(code, ask, identifier)

    def test_transaction_info(self):
        verifier = self.verifiers[Environment.SANDBOX]
        for item in self.transactions(revoked=True) + self.transactions(revoked=False)[:3]:
            info = self.sandbox.get_transaction_info(item.transactionId)
            found = verifier.verify_and_decode_signed_transaction(info.signedTransactionInfo)
            self.assertEqual((found.transactionId, found.originalTransactionId), (item.transactionId, MANY))
        self.assert_refused(4000006, self.sandbox.get_transaction_info, "x")
        self.assert_refused(4000048, self.sandbox.get_transaction_info, str(int(ONE) + APP_TRANSACTION_OFFSET))
        self.assert_refused(4040010, self.sandbox.get_transaction_info, "7")

    def test_tokens(self):
        for call in self.calls(self.world.client(Environment.SANDBOX, key_id="OTHER" + KEY_ID)):
            self.assert_refused(401, call)


class TestNotifications(Scene):
    @classmethod
    def setUpClass(cls):
        cls.start()

    def sent(self, client, token):
        """The answer about a test notification, once there is one. Until then, the error says that there is none yet."""
        found = []

        def ask():
            try:
                found.append(client.get_test_notification_status(token))
            except Exception as error:
                self.assertEqual(getattr(error, "raw_api_error", None), 4040008, error)
            return found

        wait_for(ask)
        return found[0]

    def test_notifications(self):
        self.assert_refused(4040007, self.closed.request_test_notification)
        self.set_url(Environment.SANDBOX, "/good")
        self.set_url(Environment.PRODUCTION, "/away")
        for client, environment, result in (
            (self.sandbox, Environment.SANDBOX, SendAttemptResult.SUCCESS),
            (self.production, Environment.PRODUCTION, SendAttemptResult.UNSUCCESSFUL_HTTP_RESPONSE_CODE),
        ):
            token = client.request_test_notification().testNotificationToken
            answer = self.sent(client, token)
            self.assertEqual([each.sendAttemptResult for each in answer.sendAttempts], [result])
            self.assertLess(abs(answer.sendAttempts[0].attemptDate - milliseconds()), 600_000)
            decoded = self.verifiers[environment].verify_and_decode_notification(answer.signedPayload)
            self.assertEqual(decoded.notificationType, NotificationTypeV2.TEST)
            self.assertIsNone(decoded.data.signedTransactionInfo)
            failures = self.whole_history(client, onlyFailures=True)
            self.assertEqual(len(failures), 0 if result == SendAttemptResult.SUCCESS else 1)
            other = self.production if client is self.sandbox else self.sandbox
            self.assert_refused(4040008, other.get_test_notification_status, token)
        self.assert_refused(4000020, self.sandbox.get_test_notification_status, "abc")
        unknown = f"{uuid.uuid4()}_{milliseconds()}"
        self.assert_refused(4040008, self.sandbox.get_test_notification_status, unknown)


class RecoveryFaults(Scene):
    def test_faults(self):
        """The errors that every operation can have."""
        for kind, code in ("internal-error", 5000000), ("retryable-error", 5000001), ("rate-limit", 4290000):
            self.start("--fault", kind + "=100")
            for call in self.calls(self.sandbox):
                self.assert_refused(code, call)


if __name__ == "__main__":
    unittest.main()
