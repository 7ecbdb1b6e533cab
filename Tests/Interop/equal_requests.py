"""The requests of retentionctl and of Apple's library are equal: both do the 14 operations of the Retention Messaging API
and five of the App Store Server API against a server that records. No command of retentionctl calls Get Transaction Info.

Tests/Interop/run starts these tests: RETENTIONCTL is the path of the program. Compared are the method, the path, the query,
Accept, Content-Type, the length and the body, the latter as JSON or as bytes, and the token without its times.

There are two differences, both on purpose. The token of retentionctl has the claim `iat`, which Apple's documentation asks
for and Apple's Python library leaves out. And retentionctl always names the size of an image; the library leaves the
parameter out when its caller gives no size, and Apple's server then takes the same size as retentionctl names: FULL_SIZE.
"""

import http.server
import json
import os
import subprocess
import tempfile
import threading
import time
import unittest
import uuid

import jwt
from appstoreserverlibrary.api_client import AppStoreServerAPIClient, GetTransactionHistoryVersion
from appstoreserverlibrary.models.BulletPoint import BulletPoint
from appstoreserverlibrary.models.DefaultConfigurationRequest import DefaultConfigurationRequest
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.models.HeaderPosition import HeaderPosition
from appstoreserverlibrary.models.ImageSize import ImageSize
from appstoreserverlibrary.models.NotificationHistoryRequest import NotificationHistoryRequest
from appstoreserverlibrary.models.NotificationTypeV2 import NotificationTypeV2
from appstoreserverlibrary.models.PerformanceTestRequest import PerformanceTestRequest
from appstoreserverlibrary.models.RealtimeUrlRequest import RealtimeUrlRequest
from appstoreserverlibrary.models.Subtype import Subtype
from appstoreserverlibrary.models.TransactionHistoryRequest import TransactionHistoryRequest
from appstoreserverlibrary.models.UploadMessageImage import UploadMessageImage
from appstoreserverlibrary.models.UploadMessageRequestBody import UploadMessageRequestBody
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

KEY_ID = "2X9R4HXF34"
ISSUER_ID = "57246542-96fe-1a63-e053-0824d011072a"
BUNDLE_ID = "com.example.app"
ONE = uuid.UUID("6584bedf-2ed0-4c01-93ed-c0c64a1670cc")
TWO = uuid.UUID("0F8B7C1E-3F0A-4F7E-9F5E-7A1D2C3B4A59")
URL = "https://example.com/retention-message?a=b&c=%C3%A4"
# All characters that App Store Connect allows in a product identifier.
PRODUCT = "com.example-1.Pro_ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 300
CONFIG = {
    "maxConcurrentRequests": 10, "totalRequests": 100, "totalDuration": 60000, "responseTimeThreshold": 500,
    "successRateThreshold": 95,
}
RESULT = {
    "config": CONFIG, "target": URL, "result": "PASS", "successRate": 99, "numPending": 0,
    "responseTimes": {"average": 1, "p50": 2, "p90": 3, "p95": 4, "p99": 5}, "failures": {},
}
# Characters that JSON escapes, or that are more than one unit in some encoding.
TEXT = "\u00c4 \"q\" \\ / \u2028 \u202e \U0001f451 e\u0301 <b>&"


class Recorder(http.server.ThreadingHTTPServer):
    """Keeps all requests, and gives the next of its answers to each; to all that follow, the last one."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests = []
        self.answers = [b""]
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def handle_any(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.requests.append((self.command, self.path, self.headers, body))
        answer = self.server.answers[min(len(self.server.requests), len(self.server.answers)) - 1]
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    do_GET = do_PUT = do_POST = do_DELETE = handle_any

    def log_message(self, *arguments):
        pass


def message(**more):
    return UploadMessageRequestBody(header=TEXT, body="b", **more)


FULL = {
    "header": TEXT, "body": "b", "image": {"imageIdentifier": str(TWO), "altText": TEXT}, "headerPosition": "ABOVE_IMAGE",
    "bulletPoints": [
        {"text": "t", "imageIdentifier": str(ONE), "altText": "a"},
        {"text": TEXT, "imageIdentifier": str(TWO), "altText": "c"},
    ],
}
FULL_BODY = message(
    image=UploadMessageImage(imageIdentifier=TWO, altText=TEXT),
    headerPosition=HeaderPosition.ABOVE_IMAGE,
    bulletPoints=[
        BulletPoint(text="t", imageIdentifier=ONE, altText="a"), BulletPoint(text=TEXT, imageIdentifier=TWO, altText="c"),
    ],
)
TEST = PerformanceTestRequest(originalTransactionId="2000000001")
TEST_ID = "r-1.2_3"

def api(operation, *given, **fields):
    words = ["api", operation, *given, "--confirm"]
    for name, value in fields.items():
        words += ["-f", f"{name}={value}"]
    return words


# An operation: what the library is asked for, what retentionctl is asked for, its standard input, the server's answer.
ROWS = [
    ("Upload Image", lambda c: c.upload_image(ONE, PNG, ImageSize.FULL_SIZE),
     api("uploadImage", "--input", "-", imageIdentifier=ONE, imageSize="FULL_SIZE"), PNG, None),
    ("Upload Image", lambda c: c.upload_image(TWO, PNG, ImageSize.BULLET_POINT),
     api("uploadImage", "--input", "-", imageIdentifier=TWO, imageSize="BULLET_POINT"), PNG, None),
    ("Delete Image", lambda c: c.delete_image(TWO), api("deleteImage", imageIdentifier=TWO), b"", None),
    ("Get Image List", lambda c: c.get_image_list(), api("listImages"), b"", {"imageIdentifiers": []}),
    ("Upload Message", lambda c: c.upload_message(ONE, message()),
     api("uploadMessage", messageIdentifier=ONE, header=TEXT, body="b"), b"", None),
    ("Upload Message", lambda c: c.upload_message(TWO, FULL_BODY),
     api("uploadMessage", "--input", "-", messageIdentifier=TWO), json.dumps(FULL).encode(), None),
    ("Delete Message", lambda c: c.delete_message(ONE), api("deleteMessage", messageIdentifier=ONE), b"", None),
    ("Get Message List", lambda c: c.get_message_list(), api("listMessages"), b"", {"messageIdentifiers": []}),
    ("Configure Default Message",
     lambda c: c.configure_default_message(PRODUCT, "zh-Hans", DefaultConfigurationRequest(messageIdentifier=TWO)),
     api("setDefault", productId=PRODUCT, locale="zh-Hans", messageIdentifier=TWO), b"", None),
    ("Get Default Message", lambda c: c.get_default_message(PRODUCT, "en-US"),
     api("getDefault", productId=PRODUCT, locale="en-US"), b"", {"messageIdentifier": str(ONE)}),
    ("Delete Default Message", lambda c: c.delete_default_message(PRODUCT, "ja"),
     api("deleteDefault", productId=PRODUCT, locale="ja"), b"", None),
    ("Configure Realtime URL", lambda c: c.configure_realtime_url(RealtimeUrlRequest(realtimeURL=URL)),
     api("setURL", realtimeURL=URL), b"", None),
    ("Get Realtime URL", lambda c: c.get_realtime_url(), api("getURL"), b"", {"realtimeURL": URL}),
    ("Delete Realtime URL", lambda c: c.delete_realtime_url(), api("deleteURL"), b"", None),
    ("Initiate Performance Test", lambda c: c.initiate_performance_test(TEST),
     api("startTest", originalTransactionId=TEST.originalTransactionId), b"", {"config": CONFIG, "requestId": TEST_ID}),
    ("Get Performance Test Results", lambda c: c.get_performance_test_results(TEST_ID),
     api("getTestResult", requestId=TEST_ID), b"", RESULT),
]


# Characters that a query has to escape; the library and retentionctl write them in the same way.
TOKEN = "a.b-c_d~e/f?g&h=i+j%k"
END = int(time.time()) * 1000
START = END - 86_400_000
HISTORY = ["notifications", "recover", "--dry-run", "--from", START, "--to", END]
HISTORY_PAGES = [
    {"hasMore": True, "paginationToken": TOKEN, "notificationHistory": []}, {"hasMore": False, "notificationHistory": []},
]
SENT = {"signedPayload": "a.b.c", "sendAttempts": [{"attemptDate": END, "sendAttemptResult": "SUCCESS"}]}
TEST_TOKEN = "ce3af791-365e-4c60-841b-1674b43c1609_1656709971785"
OWNER = {"environment": "Sandbox", "bundleId": BUNDLE_ID}
TRANSACTION_PAGES = [
    {**OWNER, "data": []},
    {**OWNER, "revision": TOKEN, "hasMore": True, "signedTransactions": []},
    {**OWNER, "revision": "b", "hasMore": False, "signedTransactions": []},
]


def history(token, **more):
    return lambda client: client.get_notification_history(
        token, NotificationHistoryRequest(startDate=START, endDate=END, **more)
    )


def transactions(revision):
    return lambda client: client.get_transaction_history(
        "2000000001", revision, TransactionHistoryRequest(), GetTransactionHistoryVersion.V2
    )


# What a command calls: the operations, what the library is asked for, what retentionctl is asked for, its standard input,
# the server's answers.
RECOVERY_ROWS = [
    (["Get Notification History"], [history(None), history(TOKEN)], HISTORY, b"", HISTORY_PAGES),
    (["Get Notification History"], [history(None, onlyFailures=True)], [*HISTORY, "--only-failures"], b"",
     HISTORY_PAGES[1:]),
    (["Get Notification History"],
     [history(None, notificationType=NotificationTypeV2.EXPIRED, notificationSubtype=Subtype.VOLUNTARY)],
     ["apple", *api("notificationHistory", "--input", "-")],
     json.dumps({"startDate": START, "endDate": END, "notificationType": "EXPIRED", "notificationSubtype": "VOLUNTARY"}).encode(),
     HISTORY_PAGES[1:]),
    (["Request a Test Notification", "Get Test Notification Status"],
     [lambda c: c.request_test_notification(), lambda c: c.get_test_notification_status(TEST_TOKEN)],
     ["apple", "test-notification"], b"", [{"testNotificationToken": TEST_TOKEN}, SENT]),
    (["Get Test Notification Status"], [lambda c: c.get_test_notification_status(TEST_TOKEN)],
     ["apple", "test-notification", "--token", TEST_TOKEN], b"", [SENT]),
    (["Get All Subscription Statuses", "Get Transaction History"],
     [lambda c: c.get_all_subscription_statuses("2000000001"), transactions(None), transactions(TOKEN)],
     ["subscriptions", "sync", "--ids", "-"], b"2000000001\n", TRANSACTION_PAGES),
]


class EqualRequests(unittest.TestCase):
    def setUp(self):
        self.maxDiff = None
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        key = ec.generate_private_key(ec.SECP256R1())
        self.public = key.public_key()
        self.pem = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        with open(os.open(self.path("key.p8"), os.O_WRONLY | os.O_CREAT, 0o600), "wb") as file:
            file.write(self.pem)
        self.server = Recorder()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.client = AppStoreServerAPIClient(self.pem, KEY_ID, ISSUER_ID, BUNDLE_ID, Environment.SANDBOX)
        self.client._base_url = self.server.url

    def path(self, name):
        return os.path.join(self.folder, name)

    def run_tool(self, arguments, given=b""):
        run = subprocess.run(
            [os.environ["RETENTIONCTL"], *map(str, arguments), "--environment", "Sandbox"]
            + ["--base-url", self.server.url, "--key-file", self.path("key.p8")]
            + ["--key-id", KEY_ID, "--issuer-id", ISSUER_ID, "--bundle-id", BUNDLE_ID],
            input=given, capture_output=True,
        )
        self.assertEqual(run.returncode, 0, run)

    def tool(self, arguments, given=b""):
        self.run_tool(["apple", *arguments], given)

    def answer(self, *answers):
        """The server's answers from now on."""
        self.server.answers = [b"" if answer is None else json.dumps(answer).encode() for answer in answers]

    def all_recorded(self, act, *arguments):
        """The requests that are made, in the form in which they are compared."""
        self.server.requests.clear()
        act(*arguments)
        return [self.comparable(*request) for request in self.server.requests]

    def recorded(self, act, *arguments):
        """The one request that is made, in the form in which it is compared."""
        requests = self.all_recorded(act, *arguments)
        self.assertEqual(len(requests), 1)
        return requests[0]

    def comparable(self, method, target, headers, body):
        self.assertEqual(len(headers.get_all("Authorization")), 1)
        path, mark, query = target.partition("?")
        return {
            "method": method,
            "path": path,
            "query": mark + query,
            "Accept": headers.get_all("Accept"),
            "Content-Type": headers.get_all("Content-Type"),
            "Content-Length": headers.get("Content-Length") or "0" if headers.get("Content-Type") == "image/png" else None,
            "Transfer-Encoding": headers.get("Transfer-Encoding"),
            "body": json.loads(body) if headers.get("Content-Type") == "application/json" else body,
            "token": self.token(headers["Authorization"]),
        }

    def token(self, field):
        kind, token = field.split(" ")
        claims = jwt.decode(token, self.public, algorithms=["ES256"], audience="appstoreconnect-v1")
        times = {name: claims.pop(name) for name in ("iat", "exp") if name in claims}
        return kind, jwt.get_unverified_header(token), claims, "exp" in times

    def test_operations(self):
        self.assertEqual(len({name for name, *_ in ROWS}), 14)
        for name, call, arguments, given, answer in ROWS:
            with self.subTest(name, arguments=arguments):
                self.answer(answer)
                library = self.recorded(call, self.client)
                self.assertEqual(self.recorded(self.tool, arguments, given), library)

    def test_recovery(self):
        """Commands that call several operations, or an operation several times."""
        self.assertEqual(len({name for names, *_ in RECOVERY_ROWS for name in names}), 5)
        for names, calls, arguments, given, answers in RECOVERY_ROWS:
            with self.subTest(names, arguments=arguments):
                self.answer(*answers)
                library = self.all_recorded(lambda: [call(self.client) for call in calls])
                self.assertEqual(len(library), len(calls))
                if "sync" in arguments:
                    arguments = [*arguments, "--store", "sqlite:" + self.path("store.db")]
                self.assertEqual(self.all_recorded(self.run_tool, arguments, given), library)

    def test_the_comparison_itself(self):
        """A difference in any compared part is found."""
        self.answer(None)
        first = self.recorded(self.client.upload_message, ONE, message())
        self.assertNotEqual(first, self.recorded(self.client.upload_message, TWO, message()))
        self.assertNotEqual(first, self.recorded(self.client.upload_message, ONE, FULL_BODY))
        self.assertNotEqual(first, self.recorded(self.client.delete_message, ONE))
        other = AppStoreServerAPIClient(self.pem, "OTHER", ISSUER_ID, BUNDLE_ID, Environment.SANDBOX)
        other._base_url = self.server.url
        self.assertNotEqual(first, self.recorded(other.upload_message, ONE, message()))


if __name__ == "__main__":
    unittest.main()
