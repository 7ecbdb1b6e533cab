"""retentionctl checks signatures of Apple's library, and the library checks signatures of retentiond, claim by claim.

Tests/Interop/run starts these tests: RETENTIOND, RETENTIONCTL and APPSTORE_SIMULATOR are the paths of the programs. Each test
makes its own keys.
"""

import base64
import json
import os
import subprocess
import tempfile
import time
import unittest
import uuid

import jwt
from appstoreserverlibrary.jws_signature_creator import (
    AdvancedCommerceAPIInAppSignatureCreator,
    PromotionalOfferV2SignatureCreator,
)
from appstoreserverlibrary.models.AdvancedCommerceSubscriptionModifyInAppRequest import (
    AdvancedCommerceSubscriptionModifyInAppRequest,
)
from appstoreserverlibrary.models.LibraryUtility import _get_cattrs_converter
from appstoreserverlibrary.models.RealtimeResponseBody import RealtimeResponseBody
from appstoreserverlibrary.promotional_offer import PromotionalOfferSignatureCreator
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

KEY_ID = "2X9R4HXF34"
ISSUER_ID = "57246542-96fe-1a63-e053-0824d011072a"
BUNDLE_ID = "com.example.app"
APP = 6745974591
PRODUCT = "pro_monthly"
OFFER = "save50_3m"
TRANSACTION = "2000000001"
ACCOUNT_TOKEN = "23a91ca7-06f3-425f-bff6-820904b510a9"
RULES = os.path.join(os.path.dirname(__file__), "../../examples/rules")


class Recorder:
    """Takes the place of a key and keeps the bytes that Apple's library would sign."""

    def sign(self, data, algorithm):
        self.data = data
        return b""


class Offers(unittest.TestCase):
    def setUp(self):
        self.maxDiff = None
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        key = ec.generate_private_key(ec.SECP256R1())
        self.public = key.public_key()
        self.pem = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        public = self.public.public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )
        self.key_path = os.path.join(folder.name, "key.p8")
        self.public_path = os.path.join(folder.name, "public.pem")
        for path, text in (self.key_path, self.pem), (self.public_path, public):
            with open(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600), "wb") as file:
                file.write(text)

    def tool(self, *arguments, text=None, status=0):
        run = subprocess.run(
            [os.environ["RETENTIONCTL"], *arguments], input=text, capture_output=True, text=True
        )
        self.assertEqual(run.returncode, status, run.stdout + run.stderr)
        return run.stdout

    def verify(self, signature, status=0):
        report = json.loads(
            self.tool(
                *("verify", "--json", "--key", self.public_path, "--bundle-id", BUNDLE_ID),
                text=signature,
                status=status,
            )
        )
        self.assertIs(report["verified"], status == 0)
        return report

    def answer(self, rules, product, form="v2"):
        """Returns the answer of the service to a signed request: as JSON, and as Apple's library reads it."""
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        authority, data, state = (os.path.join(place.name, name) for name in ("authority", "data", "state"))
        os.mkdir(data)
        os.mkdir(state)
        simulator = os.environ["APPSTORE_SIMULATOR"]
        subprocess.run([simulator, "init", authority], check=True, capture_output=True)
        with open(os.path.join(RULES, rules), encoding="utf-8") as file:
            source = dict(json.load(file), environment="LocalTesting", tests=[])
        # Without facts no caps are known, and no offer is made.
        source.pop("caps", None)
        with open(os.path.join(data, "app.rules.json"), "w", encoding="utf-8") as file:
            json.dump(source, file)
        key = {"keyId": KEY_ID, "issuerId": ISSUER_ID, "file": self.key_path}
        app = {
            **{"appAppleId": APP, "bundleId": BUNDLE_ID, "environments": ["LocalTesting"]},
            **{"anchors": [os.path.join(authority, "root.pem")], "offerSignature": form, "signingKeys": [key]},
        }
        configuration = {"dataDirectory": data, "stateDirectory": state, "apps": [app]}
        path = os.path.join(place.name, "retentiond.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(configuration, file)
        asked = ("request", "--print", "--authority", authority, "--app", str(APP), "--product", product)
        body = subprocess.run(
            [simulator, *asked, "--original-transaction-id", TRANSACTION], check=True, capture_output=True
        ).stdout.strip()
        run = subprocess.run(
            [os.environ["RETENTIOND"], "--cgi", "--config", path, "--allow-root"],
            input=body,
            capture_output=True,
            env={
                **{"REQUEST_METHOD": "POST", "CONTENT_TYPE": "application/json"},
                **{"CONTENT_LENGTH": str(len(body)), "RETENTION_ENDPOINT": "retention-message"},
            },
        )
        head, _, text = run.stdout.decode().replace("\r\n", "\n").partition("\n\n")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("200", head.splitlines()[0], run.stdout)
        answer = json.loads(text)
        self.assertEqual(len(answer), 1)
        body = _get_cattrs_converter(RealtimeResponseBody).structure(answer, RealtimeResponseBody)
        return answer, body

    def assert_same_claims(self, token, apples, audience):
        """Checks that our token has the header and the claims of Apple's token, except nonce, time and request."""
        self.assertEqual(jwt.get_unverified_header(token), jwt.get_unverified_header(apples))
        ours, theirs = (
            jwt.decode(text, self.public, algorithms=["ES256"], audience=audience) for text in (token, apples)
        )
        self.assertEqual(
            {name: type(value) for name, value in ours.items()},
            {name: type(value) for name, value in theirs.items()},
        )
        self.assertLess(abs(ours["iat"] - time.time()), 60)
        self.assertEqual(str(uuid.UUID(ours["nonce"])), ours["nonce"])
        self.assertEqual(uuid.UUID(ours["nonce"]).version, 4)
        different = ("iat", "nonce") if audience == "promotional-offer" else ("iat", "nonce", "request")
        for name in set(theirs) - set(different):
            self.assertEqual(ours[name], theirs[name], name)
        return ours, theirs

    def assert_each_claim_counts(self, token):
        """Checks that both sides refuse the token when any claim but aud and request is changed."""
        header, claims, signature = token.split(".")
        decoded = json.loads(base64.urlsafe_b64decode(claims + "=="))
        for name, value in decoded.items():
            if name == "aud" or name == "request":
                continue
            # A nonce that is not a UUID is refused before the signature is checked.
            new = str(uuid.uuid4()) if name == "nonce" else value + (1 if isinstance(value, int) else "x")
            changed = dict(decoded, **{name: new})
            part = base64.urlsafe_b64encode(json.dumps(changed).encode()).rstrip(b"=").decode()
            other = f"{header}.{part}.{signature}"
            self.verify(other, status=1)
            with self.assertRaises(jwt.InvalidSignatureError):
                jwt.decode(other, self.public, algorithms=["ES256"], audience=decoded["aud"])

    # Apple's signatures, checked by retentionctl.

    def apples_v1(self, token, nonce, timestamp):
        signature = PromotionalOfferSignatureCreator(self.pem, KEY_ID, BUNDLE_ID).create_signature(
            PRODUCT, OFFER, token, nonce, timestamp
        )
        fields = {
            "encodedSignature": signature,
            "productId": PRODUCT,
            "nonce": str(nonce),
            "timestamp": timestamp,
            "keyId": KEY_ID,
            "offerIdentifier": OFFER,
        }
        return dict(fields, appAccountToken=token.lower()) if token else fields

    def test_apples_v1(self):
        for token in "", ACCOUNT_TOKEN, ACCOUNT_TOKEN.upper():
            fields = self.apples_v1(token, uuid.uuid4(), time.time_ns() // 1_000_000)
            report = self.verify(json.dumps(fields))
            self.assertEqual(report["form"], "promotionalOfferSignatureV1")
            self.assertEqual(report["claims"], fields)
            for name, value in fields.items():
                if name in ("encodedSignature", "nonce", "appAccountToken"):
                    continue
                changed = dict(fields, **{name: value + 1 if isinstance(value, int) else value + "x"})
                self.verify(json.dumps(changed), status=1)
            for name in "nonce", "appAccountToken":
                self.verify(json.dumps(dict(fields, **{name: str(uuid.uuid4())})), status=1)

    def apples_v2(self, transaction=TRANSACTION):
        return PromotionalOfferV2SignatureCreator(self.pem, KEY_ID, ISSUER_ID, BUNDLE_ID).create_signature(
            PRODUCT, OFFER, transaction
        )

    def test_apples_v2(self):
        token = self.apples_v2()
        report = self.verify(token)
        self.assertEqual(report["form"], "promotionalOfferSignatureV2")
        self.assertEqual(report["header"], {"alg": "ES256", "kid": KEY_ID, "typ": "JWT"})
        self.assertEqual(
            report["claims"],
            jwt.decode(token, self.public, algorithms=["ES256"], audience="promotional-offer"),
        )
        self.assert_each_claim_counts(token)

    def apples_request(self, request):
        """Returns a token that Apple's library makes from its own model of a request, and the request in that token."""
        creator = AdvancedCommerceAPIInAppSignatureCreator(self.pem, KEY_ID, ISSUER_ID, BUNDLE_ID)
        model = _get_cattrs_converter(AdvancedCommerceSubscriptionModifyInAppRequest).structure(
            request, AdvancedCommerceSubscriptionModifyInAppRequest
        )
        token = creator.create_signature(model)
        claims = jwt.decode(token, self.public, algorithms=["ES256"], audience="advanced-commerce-api")
        return token, json.loads(base64.b64decode(claims["request"]))

    def template(self):
        with open(os.path.join(RULES, "advanced-commerce.json"), encoding="utf-8") as file:
            return json.load(file)["rules"][0]["serve"]["request"]

    def test_apples_advanced_commerce(self):
        reference = {"requestReferenceId": str(uuid.uuid4())}
        token, request = self.apples_request(
            dict(self.template(), requestInfo=reference, transactionId=TRANSACTION)
        )
        data = base64.b64encode(json.dumps({"signatureInfo": {"token": token}}).encode()).decode()
        answer = json.dumps({"advancedCommerceInfo": {"advancedCommerceData": data}})
        for text in token, data, answer:
            report = self.verify(text)
            self.assertEqual(report["form"], "advancedCommerceData")
            self.assertEqual(report["request"], request)
        self.assert_each_claim_counts(token)

    # Signatures of retentiond, checked by Apple's library and by the libraries that it uses.

    def assert_v1_is_apples(self, fields, token=""):
        """Checks that the signature is over the bytes that Apple's library would sign."""
        creator = PromotionalOfferSignatureCreator(self.pem, fields["keyId"], BUNDLE_ID)
        creator._signing_key = Recorder()
        creator.create_signature(
            fields["productId"], fields["offerIdentifier"], token, uuid.UUID(fields["nonce"]), fields["timestamp"]
        )
        signature = base64.b64decode(fields["encodedSignature"], validate=True)
        text = creator._signing_key.data
        self.public.verify(signature, text, ec.ECDSA(hashes.SHA256()))
        for other in text + b"0", text.replace(OFFER.encode(), b"other"):
            with self.assertRaises(InvalidSignature):
                self.public.verify(signature, other, ec.ECDSA(hashes.SHA256()))

    # Answers of the service.

    def test_answer_v1(self):
        answer, body = self.answer("offer.json", PRODUCT, "v1")
        fields = answer["promotionalOffer"]["promotionalOfferSignatureV1"]
        self.assert_v1_is_apples(fields)
        model = body.promotionalOffer.promotionalOfferSignatureV1
        self.assertIsNone(body.promotionalOffer.promotionalOfferSignatureV2)
        self.assertEqual(model.encodedSignature, fields["encodedSignature"])
        self.assertEqual((model.productId, model.offerIdentifier, model.keyId), (PRODUCT, OFFER, KEY_ID))
        self.assertEqual((str(model.nonce), model.timestamp), (fields["nonce"], fields["timestamp"]))
        self.assertIsNone(model.appAccountToken)

    def test_answer_v2(self):
        answer, body = self.answer("offer.json", PRODUCT, "v2")
        token = body.promotionalOffer.promotionalOfferSignatureV2
        self.assertEqual(token, answer["promotionalOffer"]["promotionalOfferSignatureV2"])
        self.assertIsNone(body.promotionalOffer.promotionalOfferSignatureV1)
        self.verify(json.dumps(answer))
        self.assert_same_claims(token, self.apples_v2(), "promotional-offer")
        self.assert_each_claim_counts(token)
        with self.assertRaises(AssertionError):
            self.assert_same_claims(token, self.apples_v2("2000000008"), "promotional-offer")

    def test_answer_advanced_commerce(self):
        answer, body = self.answer("advanced-commerce.json", "com.example.generic")
        data = body.advancedCommerceInfo.advancedCommerceData
        self.assertEqual(data, answer["advancedCommerceInfo"]["advancedCommerceData"])
        wrapped = json.loads(base64.b64decode(data, validate=True))
        self.assertEqual(list(wrapped), ["signatureInfo"])
        self.assertEqual(list(wrapped["signatureInfo"]), ["token"])
        token = wrapped["signatureInfo"]["token"]
        expected = dict(self.template(), transactionId=TRANSACTION)
        apples, _ = self.apples_request(dict(expected, requestInfo={"requestReferenceId": str(uuid.uuid4())}))
        claims, _ = self.assert_same_claims(token, apples, "advanced-commerce-api")
        ours = json.loads(base64.b64decode(claims["request"], validate=True))
        # Apple's library knows every member of our request and would write the same request.
        self.assertEqual(ours, self.apples_request(ours)[1])
        reference = ours.pop("requestInfo")
        self.assertEqual(list(reference), ["requestReferenceId"])
        self.assertEqual(ours, dict(expected, operation="MODIFY_SUBSCRIPTION", version="1"))
        self.assert_each_claim_counts(token)


if __name__ == "__main__":
    unittest.main()
