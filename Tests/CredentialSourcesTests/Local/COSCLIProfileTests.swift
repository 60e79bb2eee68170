// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import CredentialSources
import StorageAuth
import XCTest

@testable import COSAuth

/// Tests the configuration file of coscli.
final class COSCLIProfileTests: XCTestCase {
  private static let path = "/home/mia/.cos.yaml"

  private let machine = MemoryMachine()
  private let services = RecordedServices()

  private var provider: BoundCredentialProvider<ProfileCredentialProvider<AccessKey>> {
    ProfileCredentialProvider.coscliProfile(services: services.tencent).bound(to: machine.access)
  }

  // matrix: Files: answers
  func testPlainKeysAreRead() async {
    let buckets = "  buckets:\n    - name: b-1250000000\n      alias: \"b\"\n      secretid: other\n"
    let cases: [(String, AccessKey)] = [
      (
        "cos:\n  base:\n    secretid: id\n    secretkey: s\n    sessiontoken: \"\"\n    protocol: https\n    disableencryption: \"true\"\n\(buckets)",
        AccessKey(id: "id", secret: "s")
      ),
      (
        "---\n# comment\ncos:\n\(buckets)  base: # comment\n    secretID: \"i#d\"  # comment\n    secretKey: 's' \n    sessionToken: t #x\n    disableEncryption: true\n",
        AccessKey(id: "i#d", secret: "s", sessionToken: "t")
      ),
      (
        "\u{FEFF}cos:\r\n    base:\r\n        secretid: id\r\n        secretkey: a:b\r\n\r\n        disableencryption: \"true\"\r\nother:\r\n    base:\r\n        secretid: x\r\n",
        AccessKey(id: "id", secret: "a:b")
      ),
    ]
    for (text, key) in cases {
      machine.put(Self.path, text)
      await assertKey(provider, key, text)
    }
  }

  func testCvmRoleModeRequestsTheInstanceMetadata() async throws {
    machine.put(Self.path, "cos:\n  base:\n    mode: CvmRole\n    cvmrolename: web\n")
    let issued = try await provider.issue(in: .local)
    XCTAssertTrue(issued.credential == RecordedServices.key)
    XCTAssertEqual(issued.source, "coscli: service")
    XCTAssertEqual(services.asked, ["instance web"])
  }

  // matrix: Files: refusal
  func testObfuscatedKeysAreRecognisedAndNotConfigured() async {
    for line in ["", "    disableencryption: \"false\"\n", "    disableencryption:\n"] {
      machine.put(Self.path, "cos:\n  base:\n    secretid: abc=\n    secretkey: \(Marks.secret)\n\(line)")
      await assertRefuses(provider, .notConfigured, says: ["obfuscated", Self.path], line)
    }
  }

  // matrix: Files: bad input
  func testMalformedFilesAreRejected() async {
    let secret = "secretkey: \(Marks.secret)"
    let refusals = [
      Refusal("empty", "", .notConfigured, "no mapping cos.base"),
      Refusal("JSON", #"{"cos":{"base":{"secretkey":"\#(Marks.secret)"}}}"#, .notConfigured, "no mapping cos.base"),
      Refusal("base elsewhere", "base:\n  \(secret)\ncos:\n  buckets:\n", .notConfigured, "no mapping cos.base"),
      Refusal("empty section", "cos:\n  base:\n  buckets:\n", .notConfigured, "has no key"),
      Refusal(
        "no id", "cos:\n  base:\n    \(secret)\n    disableencryption: true", .malformedResponse, "no “secretid”"),
      Refusal(
        "no secret", "cos:\n  base:\n    secretid: id\n    disableencryption: true\n", .malformedResponse,
        "no “secretkey”"),
      Refusal("twice", "cos:\n  base:\n    \(secret)\n    \(secret)\n", .malformedResponse, "line 4 twice"),
      Refusal("list", "cos:\n  base:\n    - \(secret)\n", .malformedResponse, "line 3"),
      Refusal("flow", "cos:\n  base:\n    secretkey: {a: \(Marks.secret)}\n", .malformedResponse, "line 3"),
      Refusal("block", "cos:\n  base:\n    secretkey: |\n      \(Marks.secret)\n", .malformedResponse, "line 3"),
      Refusal("open quotation", "cos:\n  base:\n    secretkey: \"\(Marks.secret)\n", .malformedResponse, "line 3"),
      Refusal("escape", "cos:\n  base:\n    secretkey: \"\\x41\(Marks.secret)\"\n", .malformedResponse, "line 3"),
      Refusal("no pair", "cos:\n  base:\n    \(Marks.secret)\n", .malformedResponse, "line 3"),
      Refusal("mode", "cos:\n  base:\n    mode: Magic\n", .malformedResponse, "“Magic”"),
      Refusal(
        "neither", "cos:\n  base:\n    secretid: id\n    \(secret)\n    disableencryption: maybe\n", .malformedResponse,
        "“disableencryption”"),
    ]
    for refusal in refusals {
      machine.put(Self.path, refusal.input)
      await assertRefuses(provider, refusal.code, says: refusal.says + [Self.path], refusal.name)
    }
  }
}
