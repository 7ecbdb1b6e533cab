"""Apple's library as the client of `appstore-simulator serve` behind nginx, with the shipped nginx configuration.

Tests/Interop/run starts it: APPSTORE_SIMULATOR is the program. Of the library, only the base URL and the CA bundle are set.
"""

import http.client
import json
import os
import shutil
import socket
import ssl
import struct
import subprocess
import tempfile
import time
import unittest
import uuid
import zlib

from appstoreserverlibrary.api_client import APIError, APIException, AppStoreServerAPIClient
from appstoreserverlibrary.models.BulletPoint import BulletPoint
from appstoreserverlibrary.models.DefaultConfigurationRequest import DefaultConfigurationRequest
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.models.HeaderPosition import HeaderPosition
from appstoreserverlibrary.models.ImageSize import ImageSize
from appstoreserverlibrary.models.ImageState import ImageState
from appstoreserverlibrary.models.MessageState import MessageState
from appstoreserverlibrary.models.PerformanceTestRequest import PerformanceTestRequest
from appstoreserverlibrary.models.RealtimeUrlRequest import RealtimeUrlRequest
from appstoreserverlibrary.models.UploadMessageImage import UploadMessageImage
from appstoreserverlibrary.models.UploadMessageRequestBody import UploadMessageRequestBody
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

KEY_ID = "2X9R4HXF34"
ISSUER_ID = "57246542-96fe-1a63-e053-0824d011072a"
BUNDLE_ID = "com.example.app"
CLOSED_BUNDLE_ID = "com.example.closed"
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
NGINX = shutil.which("nginx") or "/usr/sbin/nginx"
# Two UTF-16 units and one code point: Apple's library counts code points, the simulator UTF-16 units.
CROWN = "\U0001f451"

# An endpoint that answers as a service would, for the performance test: one that is quick, and one that is wrong.
ENDPOINT = """
server {
    listen 127.0.0.1:%d ssl;
    ssl_certificate server.pem;
    ssl_certificate_key server.key;
    default_type application/json;
    location = /good { return 200 '{"message":{"messageIdentifier":"551ee7c0-c097-418e-9dd5-2a98533a7390"}}'; }
    location = /bad { return 200 '{}'; }
    location = /away { return 307 https://127.0.0.1:%d/good; }
}
"""


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def listens(port):
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


def wait_for(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError("waited too long")
        time.sleep(0.02)


def chunk(name, content=b""):
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def png(width, height, colour=2, pixels=None):
    if pixels is None:
        row = b"\x00" + bytes(width * (4 if colour == 6 else 3))
        pixels = zlib.compress(row * height)
    header = struct.pack(">IIBBBBB", width, height, 8, colour, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND")


HERO = png(3840, 160)
TICK = png(1024, 1024)


class World:
    """A simulator and an nginx in a folder of their own."""

    def __init__(self, *options, state=None):
        self.folder = tempfile.mkdtemp(suffix=".simulator")
        os.chmod(self.folder, 0o755)
        self.processes = []
        self.key = ec.generate_private_key(ec.SECP256R1()).private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        with open(self.path("key.p8"), "wb") as file:
            file.write(self.key)
        self.authority = self.path("authority")
        self.cacert = os.path.join(self.authority, "tls-authority.pem")
        self.tool("init", self.authority)
        if state is not None:
            with open(self.path("state.json"), "w", encoding="utf-8") as file:
                json.dump(state, file)
        self.options = options
        self.start_simulator()
        try:
            self.start_nginx()
        except BaseException:
            self.stop_simulator()
            raise

    def path(self, name):
        return os.path.join(self.folder, name)

    def tool(self, *arguments, status=0):
        run = subprocess.run([os.environ["APPSTORE_SIMULATOR"], *arguments], capture_output=True, text=True)
        if run.returncode != status:
            raise AssertionError(f"{arguments} ended with {run.returncode}: {run.stdout}{run.stderr}")
        return run.stdout + run.stderr

    def start_simulator(self):
        group = ["--listen-group", "www-data"] if os.getuid() == 0 else []
        self.log = open(self.path("simulator.log"), "ab")
        self.simulator = subprocess.Popen(
            [os.environ["APPSTORE_SIMULATOR"], "serve", "--listen", "unix:" + self.path("socket")]
            + ["--issuer-id", ISSUER_ID, "--key", KEY_ID + "=" + self.path("key.p8"), "--log"]
            + ["--app", BUNDLE_ID + "=6745974591", "--app", CLOSED_BUNDLE_ID + "=2"]
            + ["--without-access", CLOSED_BUNDLE_ID, "--authority", self.authority]
            + ["--transaction", "20=renewal", "--transaction", "21=family", "--transaction", "22=app"]
            + ["--transaction", "23=unknown", "--state", self.path("state.json")]
            + ["--total-requests", "40", "--max-concurrent-requests", "4", "--total-duration", "30000"]
            + ["--response-time-threshold", "20000", *group, *self.options],
            stdout=subprocess.PIPE,
            stderr=self.log,
        )
        line = self.simulator.stdout.readline()
        if not line.startswith(b"ready: "):
            raise AssertionError("the simulator does not start: " + self.output())

    def stop_simulator(self):
        self.simulator.terminate()
        if self.simulator.wait(30) != 0:
            raise AssertionError("the simulator ended badly: " + self.output())
        self.simulator.stdout.close()
        self.log.close()

    def start_nginx(self):
        prefix = self.path("nginx")
        shutil.copytree(os.path.join(ROOT, "nginx"), prefix)
        for name in "logs", "tmp":
            os.mkdir(os.path.join(prefix, name))
        own, production, sandbox, self.endpoint = free_ports(4)
        self.ports = {Environment.PRODUCTION: production, Environment.SANDBOX: sandbox}
        self.change("nginx.conf", "#include appstore", "include appstore")
        self.change("nginx.conf", "127.0.0.1:8443", f"127.0.0.1:{own}")
        self.change("appstore-simulator.conf", "127.0.0.1:8444", f"127.0.0.1:{production}")
        self.change("appstore-simulator.conf", "127.0.0.1:8445", f"127.0.0.1:{sandbox}")
        self.change("appstore-simulator.conf", "/run/appstore/simulator.sock", self.path("socket"))
        with open(os.path.join(prefix, "appstore-simulator.conf"), "a", encoding="utf-8") as file:
            file.write(ENDPOINT % (self.endpoint, self.endpoint))
        shutil.copy(os.path.join(self.authority, "tls-server.pem"), os.path.join(prefix, "server.pem"))
        shutil.copy(os.path.join(self.authority, "tls-server.key"), os.path.join(prefix, "server.key"))
        self.nginx = subprocess.Popen(
            [NGINX, "-p", prefix, "-c", os.path.join(prefix, "nginx.conf")], stderr=subprocess.DEVNULL
        )
        wait_for(lambda: listens(sandbox))

    def change(self, name, old, new):
        path = os.path.join(self.path("nginx"), name)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if old not in text:
            raise AssertionError(f"{name} has no {old}")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace(old, new))

    def stop(self):
        self.nginx.send_signal(3)
        self.nginx.wait(30)
        self.stop_simulator()
        shutil.rmtree(self.folder)

    def output(self):
        with open(self.path("simulator.log"), encoding="utf-8") as file:
            return file.read()

    def url(self, environment):
        return f"https://localhost:{self.ports[environment]}"

    def client(self, environment, bundle_id=BUNDLE_ID, key=None, key_id=KEY_ID):
        """Apple's client; the CA bundle is in the environment, where `requests` finds it."""
        client = AppStoreServerAPIClient(key or self.key, key_id, ISSUER_ID, bundle_id, environment)
        client._base_url = self.url(environment)
        os.environ["REQUESTS_CA_BUNDLE"] = self.cacert
        return client

    def raw(self, method, path, body=None, headers=(), environment=Environment.SANDBOX):
        """One request without the library: status, header fields, body."""
        context = ssl.create_default_context(cafile=self.cacert)
        connection = http.client.HTTPSConnection("localhost", self.ports[environment], context=context, timeout=60)
        connection.request(method, path, body, dict(headers))
        answer = connection.getresponse()
        found = answer.status, dict(answer.getheaders()), answer.read()
        connection.close()
        return found

    def token(self):
        return "Bearer " + self.client(Environment.SANDBOX)._generate_token()

    def review(self, decision, *arguments, environment=Environment.PRODUCTION, status=0):
        return self.tool(
            *("review", decision, *arguments, "--url", self.url(environment)),
            *("--cacert", self.cacert, "--bundle-id", BUNDLE_ID),
            status=status,
        )

    def calls(self, operation, environment="Sandbox"):
        status, _, body = self.raw("GET", "/appstore-simulator/state")
        assert status == 200
        return json.loads(body)["calls"].get(BUNDLE_ID, {}).get(environment, {}).get(operation, {})


def text(header="Stay", body="Please", **more):
    return UploadMessageRequestBody(header=header, body=body, **more)


def point(identifier, words="One", alt="A tick"):
    return BulletPoint(text=words, imageIdentifier=identifier, altText=alt)


def reference(identifier):
    return DefaultConfigurationRequest(messageIdentifier=identifier)


class Refused(unittest.TestCase):
    def setUp(self):
        self.maxDiff = None

    def assert_refused(self, code, call, *arguments):
        with self.assertRaises(APIException) as caught:
            call(*arguments)
        error = caught.exception
        status = int(str(code)[:3])
        self.assertEqual((error.http_status_code, error.raw_api_error), (status, code if code > 999 else None))
        if code > 999 and code != 4000000:
            self.assertIsInstance(error.api_error, APIError)


class Operations(Refused):
    """Every operation with success and each documented error, in one simulator."""

    @classmethod
    def setUpClass(cls):
        cls.world = World()
        cls.addClassCleanup(cls.world.stop)
        cls.sandbox = cls.world.client(Environment.SANDBOX)
        cls.production = cls.world.client(Environment.PRODUCTION)
        cls.closed = cls.world.client(Environment.SANDBOX, bundle_id=CLOSED_BUNDLE_ID)

    def uploaded_image(self, client, size=ImageSize.FULL_SIZE):
        identifier = uuid.uuid4()
        client.upload_image(identifier, HERO if size == ImageSize.FULL_SIZE else TICK, size)
        return identifier

    def uploaded_message(self, client, body=None):
        identifier = uuid.uuid4()
        client.upload_message(identifier, body or text())
        return identifier

    def test_images(self):
        client = self.sandbox
        hero, tick = uuid.uuid4(), uuid.uuid4()
        client.upload_image(hero, HERO)
        client.upload_image(tick, TICK, ImageSize.BULLET_POINT)
        found = {item.imageIdentifier: item for item in client.get_image_list().imageIdentifiers}
        self.assertEqual(found[hero].imageState, ImageState.APPROVED)
        self.assertEqual(found[hero].imageSize, ImageSize.FULL_SIZE)
        self.assertEqual(found[tick].imageSize, ImageSize.BULLET_POINT)
        self.assertNotIn(hero, [item.imageIdentifier for item in self.production.get_image_list().imageIdentifiers])
        self.assert_refused(4090000, client.upload_image, hero, HERO)
        for bad in png(3839, 160), png(3840, 2161), png(3840, 160, colour=6), TICK, b"", b"GIF89a", HERO[:-1]:
            self.assert_refused(4000161, client.upload_image, uuid.uuid4(), bad)
        self.assert_refused(4000161, client.upload_image, uuid.uuid4(), HERO, ImageSize.BULLET_POINT)
        self.assert_refused(4000000, client.upload_image, "hero", HERO)
        client.delete_image(hero)
        self.assert_refused(4040014, client.delete_image, hero)
        self.assert_refused(4090000, client.upload_image, hero, HERO)
        used = self.uploaded_message(client, text(bulletPoints=[point(tick)]))
        self.assert_refused(4030019, client.delete_image, tick)
        client.delete_message(used)
        client.delete_image(tick)

    def test_largest_image(self):
        """20 MiB pass through nginx and the simulator; more does not."""
        limit = 20 << 20
        filler = limit - len(png(3840, 2160, pixels=b""))
        largest = png(3840, 2160, pixels=bytes(filler))
        self.assertEqual(len(largest), limit)
        identifier = uuid.uuid4()
        self.sandbox.upload_image(identifier, largest)
        self.assert_refused(4000161, self.sandbox.upload_image, uuid.uuid4(), png(3840, 2160, pixels=bytes(filler + 1)))
        self.assert_refused(413, self.sandbox.upload_image, uuid.uuid4(), bytes(22 << 20))
        self.sandbox.delete_image(identifier)

    def test_messages(self):
        client = self.sandbox
        hero, tick = self.uploaded_image(client), self.uploaded_image(client, ImageSize.BULLET_POINT)
        image = UploadMessageImage(imageIdentifier=hero, altText="A hero")
        points = [point(tick, "x" * 66, "y" * 150) for _ in range(5)]
        full = text(
            "h" * 66, "b" * 144, image=image, headerPosition=HeaderPosition.ABOVE_IMAGE, bulletPoints=points
        )
        first, second = self.uploaded_message(client, full), self.uploaded_message(client)
        found = {item.messageIdentifier: item.messageState for item in client.get_message_list().messageIdentifiers}
        self.assertEqual(found[first], MessageState.APPROVED)
        self.assert_refused(4090001, client.upload_message, first, text())
        client.delete_message(second)
        self.assert_refused(4040015, client.delete_message, second)
        self.assert_refused(4090001, client.upload_message, second, text())
        six = text(bulletPoints=list(points))
        six.bulletPoints.append(point(tick))
        for code, body in (
            (4000162, text(header=CROWN * 34)),
            (4000163, text(body=CROWN * 73)),
            (4000175, text(image=UploadMessageImage(imageIdentifier=hero, altText=CROWN * 76))),
            (4000175, text(bulletPoints=[point(tick, alt=CROWN * 76)])),
            (4000216, text(image=UploadMessageImage(imageIdentifier=tick, altText="A tick"))),
            (4000216, text(bulletPoints=[point(hero)])),
            (4000218, six),
            (4000219, text(bulletPoints=[point(tick, CROWN * 34)])),
            (4000224, text(headerPosition=HeaderPosition.ABOVE_IMAGE)),
            (4040014, text(image=UploadMessageImage(imageIdentifier=uuid.uuid4(), altText="Nothing"))),
        ):
            self.assert_refused(code, client.upload_message, uuid.uuid4(), body)

    def test_defaults(self):
        client = self.sandbox
        message = self.uploaded_message(client)
        client.configure_default_message("pro_monthly", "en-US", reference(message))
        client.configure_default_message("pro_monthly", "en-US", reference(message))
        self.assertEqual(client.get_default_message("pro_monthly", "en-US").messageIdentifier, message)
        self.assert_refused(4040020, client.get_default_message, "pro_monthly", "ja")
        self.assert_refused(4040015, client.configure_default_message, "pro_monthly", "ja", reference(uuid.uuid4()))
        for product, locale, code in ("pro monthly", "ja", 4000023), ("pro_monthly", "ja-JP", 4000164):
            self.assert_refused(code, client.configure_default_message, product, locale, reference(message))
            self.assert_refused(code, client.get_default_message, product, locale)
            self.assert_refused(code, client.delete_default_message, product, locale)
        client.delete_default_message("pro_monthly", "en-US")
        client.delete_default_message("pro_monthly", "en-US")
        self.assert_refused(4040020, client.get_default_message, "pro_monthly", "en-US")

    def test_review(self):
        client = self.production
        hero = self.uploaded_image(client)
        image = UploadMessageImage(imageIdentifier=hero, altText="A hero")
        message = self.uploaded_message(client, text(image=image))
        states = lambda: {item.messageIdentifier: item.messageState for item in client.get_message_list().messageIdentifiers}
        self.assertEqual(states()[message], MessageState.PENDING)
        set_default = client.configure_default_message, "pro_monthly", "en-US", reference(message)
        self.assert_refused(4030017, *set_default)
        self.assertIn("APPROVED", self.world.review("approve", str(message)))
        self.assert_refused(4030018, *set_default)
        self.world.review("approve", "--all")
        self.assertEqual(states()[message], MessageState.APPROVED)
        set_default[0](*set_default[1:])
        self.world.review("reject", str(hero))
        self.assert_refused(4040020, client.get_default_message, "pro_monthly", "en-US")
        self.assertIn("simulator.refused", self.world.review("reject", str(uuid.uuid4()), status=1))

    def run_test(self, path, result, failures):
        client = self.sandbox
        url = f"https://localhost:{self.world.endpoint}{path}"
        client.configure_realtime_url(RealtimeUrlRequest(realtimeURL=url))
        started = client.initiate_performance_test(PerformanceTestRequest(originalTransactionId="2000000001"))
        self.assertEqual(started.config.totalRequests, 40)
        self.assert_refused(
            4000213, client.initiate_performance_test, PerformanceTestRequest(originalTransactionId="2000000001")
        )
        end = time.monotonic() + 90
        while True:
            found = client.get_performance_test_results(started.requestId)
            if found.rawResult != "PENDING" or time.monotonic() > end:
                break
            self.assertEqual(found.numPending, 40)
            time.sleep(0.5)
        self.assertEqual(found.rawResult, result)
        self.assertEqual(found.target, url)
        self.assertEqual(found.config, started.config)
        self.assertEqual({name.value: count for name, count in (found.failures or {}).items()}, failures)
        return found

    def test_urls_and_performance_tests(self):
        client = self.sandbox
        self.assert_refused(4040021, self.production.get_realtime_url)
        for bad in "http://localhost/", "https://", "https://a b/", "https://me@localhost/":
            self.assert_refused(4000215, client.configure_realtime_url, RealtimeUrlRequest(realtimeURL=bad))
        url = RealtimeUrlRequest(realtimeURL=f"https://localhost:{self.world.endpoint}/good")
        self.assert_refused(4030026, self.production.configure_realtime_url, url)
        for call, *arguments in (
            (self.closed.configure_realtime_url, url),
            (self.closed.delete_realtime_url,),
            (self.closed.initiate_performance_test, PerformanceTestRequest(originalTransactionId="1")),
        ):
            self.assert_refused(404, call, *arguments)
        test = lambda name: PerformanceTestRequest(originalTransactionId=name)
        self.assert_refused(4000211, client.initiate_performance_test, test("1"))
        client.configure_realtime_url(url)
        self.assertEqual(client.get_realtime_url().realtimeURL, url.realtimeURL)
        for name, code in ("x", 4000006), ("23", 4000006), ("22", 4000048), ("21", 4000185), ("20", 4000187):
            self.assert_refused(code, client.initiate_performance_test, test(name))
        self.assert_refused(4000211, client.initiate_performance_test, test(None))
        self.assert_refused(4000212, client.get_performance_test_results, "latest")
        self.assert_refused(4040018, client.get_performance_test_results, str(uuid.uuid4()))
        self.assertEqual(self.run_test("/bad", "FAIL", {"INVALID_RESPONSE": 40}).successRate, 0)
        # A redirection is not followed: it could lead to another machine.
        self.run_test("/away", "FAIL", {"UNSUCCESSFUL_HTTP_RESPONSE_CODE": 40})
        self.assert_refused(4030026, self.production.configure_realtime_url, url)
        self.assertEqual(self.run_test("/good", "PASS", {}).successRate, 100)
        self.production.configure_realtime_url(url)
        self.assertEqual(self.production.get_realtime_url().realtimeURL, url.realtimeURL)
        self.production.delete_realtime_url()
        self.production.delete_realtime_url()
        # Another machine is not called.
        client.configure_realtime_url(RealtimeUrlRequest(realtimeURL="https://example.com/retention-message"))
        started = client.initiate_performance_test(test("2000000001"))
        found = client.get_performance_test_results(started.requestId)
        self.assertEqual((found.rawResult, found.successRate), ("FAIL", 0))
        self.assertIn("--allow-host", self.world.output())
        client.delete_realtime_url()
        self.assert_refused(4040021, client.get_realtime_url)

    def test_tokens(self):
        stranger = ec.generate_private_key(ec.SECP256R1()).private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        for changes in {"key": stranger}, {"key_id": "X"}:
            self.assert_refused(401, self.world.client(Environment.SANDBOX, **changes).get_message_list)
        status, _, body = self.world.raw("GET", "/inApps/v1/messaging/message/list")
        self.assertEqual((status, body), (401, b""))

    def test_hostile_requests(self):
        """Whatever comes, the simulator answers, and goes on."""
        headers = {"Authorization": self.world.token(), "Content-Type": "application/json"}
        place = "/inApps/v1/messaging/message/" + str(uuid.uuid4())
        bodies = [
            b"", b"{", b"[]", b"null", b"\xff\xfe", b"\x00" * 1000, b"[" * 60000, b'{"header":' * 5000,
            b'{"header":"a","body":"b","header":"c"}', b'{"header":"\\u0000","body":"b"}', b"{}" * 30000,
            b'{"header":"a","body":"b","bulletPoints":' + b"[" * 100 + b"]" * 100 + b"}", b" " * 100000,
            b'{"header":1e999,"body":{}}', b'{"header":"\xed\xa0\x80","body":"b"}',
        ]
        for body in bodies:
            self.assertEqual(self.world.raw("PUT", place, body, headers)[0], 400, body[:40])
        for path in ("/inApps/", "/inApps/v1/messaging/message/%ff",
                     "/inApps/v1/messaging/default/..%2f..%2fx/en-US/x", "/inApps/v1/messaging/image/list/../x",
                     "/inApps/v1/" + "a/" * 3000):
            self.assertEqual(self.world.raw("GET", path, headers=headers)[0], 404, path[:40])
        for value in "Bearer", "Bearer a.b.c", "Bearer " + "x" * 7000, "Basic abc", "Bearer .. ":
            self.assertEqual(self.world.raw("GET", place, headers={"Authorization": value})[0], 401, value[:40])
        status, _, body = self.world.raw("POST", "/appstore-simulator/review", b"{", headers)
        self.assertEqual((status, json.loads(body)["error"]), (400, "malformed"))
        self.assertEqual(self.world.raw("GET", "/")[0], 404)
        self.sandbox.get_message_list()


class Limits(Refused):
    def test_counts(self):
        """2,000 messages and images, which the state file holds already."""
        identifiers = [f"00000000-0000-4000-8000-{number:012x}" for number in range(2000)]
        images = {
            name: {"state": "APPROVED", "size": "FULL_SIZE", "width": 3840, "height": 160, "byteCount": 1, "digest": "",
                   "sequence": number}
            for number, name in enumerate(identifiers)
        }
        messages = {
            name: {"state": "APPROVED", "sequence": number,
                   "content": {"header": "Stay", "body": "Please", "bulletPoints": []}}
            for number, name in enumerate(identifiers)
        }
        notices = {"notifications": [], "subscribers": [], "changeCount": 0, "usedNonces": []}
        empty = {"approvesAtOnce": False, "uploadCount": 0, "images": {}, "messages": {}, "defaults": {},
                 "deletedImages": [], "deletedMessages": [], "notices": notices}
        full = empty | {"approvesAtOnce": True, "uploadCount": 2000, "images": images, "messages": messages}
        app = {"hasPassedTest": False, "Production": empty, "Sandbox": full, "tests": []}
        world = World(state={"apps": {BUNDLE_ID: app}})
        self.addCleanup(world.stop)
        client = world.client(Environment.SANDBOX)
        self.assertEqual(len(client.get_image_list().imageIdentifiers), 2000)
        self.assertEqual(len(client.get_message_list().messageIdentifiers), 2000)
        self.assert_refused(4030014, client.upload_image, uuid.uuid4(), HERO)
        self.assert_refused(4030016, client.upload_message, uuid.uuid4(), text())
        # A restart goes on with the state.
        client.delete_message(uuid.UUID(identifiers[7]))
        name = uuid.uuid4()
        client.upload_message(name, text())
        world.stop_simulator()
        world.start_simulator()
        found = [item.messageIdentifier for item in client.get_message_list().messageIdentifiers]
        self.assertEqual((len(found), found[-1]), (2000, name))
        self.assert_refused(4090001, client.upload_message, uuid.UUID(identifiers[7]), text())

    def test_rates(self):
        """360 calls of an operation in an hour, which has 6 seconds here. Where the calls take longer, it has 60, then 600."""
        path = "/inApps/v1/messaging/realtime/url"
        for seconds in 6, 60, 600:
            world = World("--speed", str(3600 // seconds))
            self.addCleanup(world.stop)
            client = world.client(Environment.SANDBOX)
            headers = {"Authorization": world.token()}
            begin = time.time()
            calls = [world.raw("GET", path, headers=headers) for _ in range(361)]
            with self.assertRaises(APIException) as caught:
                client.get_realtime_url()
            end = time.time()
            if end - begin < seconds:
                break
        for status, fields, _ in calls[:360]:
            self.assertEqual((status, fields.get("Retry-After")), (404, None))
        status, fields, body = calls[360]
        self.assertEqual((status, json.loads(body)["errorCode"]), (429, 4290000))
        self.assertEqual((caught.exception.http_status_code, caught.exception.raw_api_error), (429, 4290000))
        moment = int(fields["Retry-After"]) / 1000
        self.assertTrue(begin + seconds - 1 <= moment <= end + seconds + 1, (begin, moment, end))
        time.sleep(max(0, moment - time.time()))
        self.assert_refused(4040021, client.get_realtime_url)


class Faults(Refused):
    def test_faults(self):
        world = World(
            *("--fault", "internal-error=100:listImages", "--fault", "retryable-error=100:getURL"),
            *("--fault", "lost-answer=100:uploadMessage", "--fault", "lost-request=100:deleteMessage"),
            *("--fault", "truncated-body=100:getDefault", "--fault", "slow-answer=100:deleteURL"),
            *("--fault", "rate-limit=100:deleteDefault", "--fault-milliseconds", "700"),
        )
        self.addCleanup(world.stop)
        client = world.client(Environment.SANDBOX)
        self.assert_refused(5000000, client.get_image_list)
        self.assert_refused(5000001, client.get_realtime_url)
        self.assert_refused(4290000, client.delete_default_message, "a", "ja")
        message = uuid.uuid4()
        for call, *arguments in (client.upload_message, message, text()), (client.delete_message, message):
            with self.assertRaises(Exception) as caught:
                call(*arguments)
            self.assertNotIsInstance(caught.exception, APIException)
        # The upload was done, the delete was not.
        found = [item.messageIdentifier for item in client.get_message_list().messageIdentifiers]
        self.assertEqual(found, [message])
        client.configure_default_message("a", "ja", reference(message))
        path = "/inApps/v1/messaging/default/a/ja"
        status, _, body = world.raw("GET", path, headers={"Authorization": world.token()})
        self.assertEqual(status, 200)
        self.assertTrue(body.startswith(b'{"message') and not body.endswith(b"}"), body)
        begin = time.monotonic()
        client.delete_realtime_url()
        self.assertGreaterEqual(time.monotonic() - begin, 0.7)
        self.assertEqual(world.calls("uploadMessage"), {"lost": 1})
        self.assertEqual(world.calls("deleteMessage"), {"lost": 1})


if __name__ == "__main__":
    unittest.main()
