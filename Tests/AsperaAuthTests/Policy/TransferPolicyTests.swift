// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import StorageAuth
import XCTest

/// Tests which transfers a policy allows a client to request from a node.
final class TransferPolicyTests: XCTestCase {
  private let date = Timestamp(unixSeconds: 1_795_161_600)
  private let alice = AccessRule(.write, .read, objects: .prefix("uploads/alice/"), in: "ak")

  private func result(
    _ specification: TransferSpec, _ rules: AccessRule..., with key: String = "ak"
  ) -> Result<TransferSpec, PolicyError> {
    Result { () throws(PolicyError) in
      try AccessPolicy(rules).transfer(specification, with: key, at: date)
    }
  }

  private func code(_ result: Result<TransferSpec, PolicyError>) -> PolicyError.Code? {
    if case .failure(let error) = result { error.code } else { nil }
  }

  private func upload(to root: String?, as destination: String? = nil) -> TransferSpec {
    TransferSpec(.send, [TransferPath("/home/me/cat.jpg", to: destination)], destinationRoot: root)
  }

  private func download(_ source: String, root: String? = nil) -> TransferSpec {
    var spec = TransferSpec(.receive, [TransferPath(source, to: "here.jpg")], destinationRoot: "/home/me")
    spec.sourceRoot = root
    return spec
  }

  func testUploadFolderIsAbsoluteAndBelowThePrefix() throws {
    for (asked, root) in [
      (nil, "/uploads/alice"), ("", "/uploads/alice"), ("2026/11", "/uploads/alice/2026/11"),
      ("/uploads/alice", "/uploads/alice"), ("/uploads/alice/", "/uploads/alice"),
      ("/uploads/alice/2026", "/uploads/alice/2026"),
    ] as [(String?, String)] {
      let allowed = try result(upload(to: asked), alice).get()
      XCTAssertEqual(allowed.destinationRoot, root, asked ?? "none")
      XCTAssertEqual(allowed.paths, upload(to: asked).paths)
    }
    for root in [
      "/", "/uploads", "/uploads/bob", "/uploads/alice2", "/uploads/alice/../bob", "..", "a/../../bob",
      "//uploads/alice",
      "/uploads//alice", "/Uploads/alice", "a\0", "./a", "../\u{301}bob", "/uploads/alice/../\u{301}bob",
      "/uploads/alice/..", "..\\bob", "/uploads/alice/a\\..\\..\\bob", "a/..\\",
      "/uploads/alice/.\u{200d}/../\u{200d}",
    ] {
      XCTAssertEqual(code(result(upload(to: root), alice)), .refused, root)
    }
  }

  func testDestinationIsBelowTheFolder() throws {
    XCTAssertNoThrow(try result(upload(to: "2026", as: "cat.jpg"), alice).get())
    for destination in ["../bob/cat.jpg", "..", "a/../../../bob", "/../bob", "a//b", "", "../\u{301}bob"] {
      XCTAssertEqual(code(result(upload(to: nil, as: destination), alice)), .refused, destination)
    }
  }

  func testDestinationCanBeBelowTheRootOfTheNode() throws {
    let rule = AccessRule(.write, objects: .all, in: "ak")
    for root in [nil, "/"] {
      let allowed = try result(upload(to: root, as: "2026/cat.jpg"), rule).get()
      XCTAssertEqual(allowed.destinationRoot, "/")
      XCTAssertEqual(allowed.paths, upload(to: root, as: "2026/cat.jpg").paths)
    }
    for destination in ["../bob", "/../bob", "a/../b", "a//b"] {
      XCTAssertEqual(code(result(upload(to: "/", as: destination), rule)), .refused, destination)
    }
  }

  func testSlashesAtTheEndOfARootAreRemovedAsBytes() throws {
    // For Swift's characters, U+0600 and the slash after it are one.
    let allowed = try result(download("cat.jpg", root: "/uploads/alice/\u{600}//"), alice).get()
    XCTAssertEqual(
      allowed.paths.map { Array($0.source.utf8) }, [Array("/uploads/alice/\u{600}/cat.jpg".utf8)])
  }

  func testDownloadSourcesAreAbsoluteAndBelowThePrefix() throws {
    for (source, root, path) in [
      ("cat.jpg", nil, "/uploads/alice/cat.jpg"), ("/uploads/alice/2026/cat.jpg", nil, "/uploads/alice/2026/cat.jpg"),
      ("cat.jpg", "/uploads/alice", "/uploads/alice/cat.jpg"), ("cat.jpg", "2026", "/uploads/alice/2026/cat.jpg"),
      ("alice/cat.jpg", "/uploads", "/uploads/alice/cat.jpg"), ("cat.jpg", "/uploads/alice/", "/uploads/alice/cat.jpg"),
      ("uploads/alice/cat.jpg", "/", "/uploads/alice/cat.jpg"),
    ] as [(String, String?, String)] {
      let allowed = try result(download(source, root: root), alice).get()
      XCTAssertEqual(allowed.paths, [TransferPath(path, to: "here.jpg")])
      XCTAssertNil(allowed.sourceRoot)
      XCTAssertEqual(allowed.destinationRoot, "/home/me", "the policy does not restrict local destinations")
    }
    for (source, root) in [
      ("/uploads/bob/dog.jpg", nil), ("/uploads/alice", nil), ("../bob/dog.jpg", nil), ("bob/dog.jpg", "/uploads"),
      ("cat.jpg", "/uploads/bob"), ("../\u{301}bob", nil), ("/uploads/alice/../\u{301}bob", nil),
      ("../../bob/dog.jpg", "/uploads/alice"), ("/", nil), ("", nil),
    ] as [(String, String?)] {
      XCTAssertEqual(code(result(download(source, root: root), alice)), .refused, "\(source) \(root ?? "")")
    }
    var two = download("cat.jpg")
    two.paths.append(TransferPath("/uploads/bob/dog.jpg", to: "there.jpg"))
    XCTAssertEqual(code(result(two, alice)), .refused, "one denied path must deny the transfer")
  }

  func testDirectionAccessKeyAndActionAreChecked() {
    let write = AccessRule(.write, objects: .prefix("uploads/alice/"), in: "ak")
    XCTAssertEqual(code(result(download("cat.jpg"), write)), .refused)
    XCTAssertNil(code(result(upload(to: nil), write)))
    XCTAssertEqual(code(result(upload(to: nil), AccessRule(.read, .list, objects: .all, in: "ak"))), .refused)
    XCTAssertEqual(code(result(upload(to: nil), write, with: "other")), .refused)
    XCTAssertEqual(code(result(TransferSpec(fields: JSONObject()), alice)), .refused)
    XCTAssertEqual(code(result(TransferSpec(.send, []), alice)), .refused)
    XCTAssertNil(code(result(download("/anything/at/all"), AccessRule(.read, objects: .all, in: "ak"))))
  }

  func testTagsThatCouldMoveTheRootAreDenied() throws {
    var spec = upload(to: nil)
    spec.fields["tags"] = ["app": "mine"]
    XCTAssertNil(code(result(spec, alice)))
    spec.fields["tags"] = ["aspera": ["node": ["file_id": "1"]]]
    XCTAssertEqual(code(result(spec, alice)), .refused)
    spec.fields["tags"] = nil
    spec.fields["tags64"] = "e30="
    XCTAssertEqual(code(result(spec, alice)), .refused)
    for name in ["destination_root_id", "source_root_id"] {
      var spec = upload(to: nil)
      spec.fields[name] = "17"
      XCTAssertEqual(code(result(spec, alice)), .refused, name)
    }
  }

  func testTokenLifetimeEndsWithTheRule() throws {
    let rule = AccessRule(
      .write, objects: .prefix("a/"), in: "ak", until: date.advanced(by: .seconds(600)))
    for (asked, life) in [(nil, 600), (60, 60), (601, 600), (0, 1)] as [(Int?, Int)] {
      var spec = upload(to: nil)
      spec.fields["token_life_seconds"] = asked.map { .number(JSONNumber($0)) }
      XCTAssertEqual(try result(spec, rule).get().fields["token_life_seconds"]?.integer, life)
    }
    XCTAssertEqual(code(result(upload(to: nil), AccessRule(.write, objects: .all, in: "ak", until: date))), .refused)
  }

  func testRuleThatEndsLateDoesNotProlongTheToken() throws {
    let rule = AccessRule(
      .write, objects: .prefix("a/"), in: "ak", until: date.advanced(by: .seconds(20 * 365 * 86_400)))
    XCTAssertEqual(try result(upload(to: nil), rule).get().fields["token_life_seconds"]?.integer, 86_400)
    var spec = upload(to: nil)
    spec.fields["token_life_seconds"] = 172_800
    XCTAssertEqual(try result(spec, rule).get().fields["token_life_seconds"]?.integer, 172_800)
  }

  func testConditionsThatATokenCannotExpressAreErrors() throws {
    let office = try XCTUnwrap(AddressRange("10.0.0.0/8"))
    for (rule, expected) in [
      (AccessRule(.write, objects: .all, in: "ak", upTo: 10), PolicyError.Code.unsupportedCondition),
      (AccessRule(.write, objects: .all, in: "ak", types: ["image/*"]), .unsupportedCondition),
      (AccessRule(.write, objects: .all, in: "ak", from: [office]), .unsupportedCondition),
      (AccessRule(.write, objects: .key("a/b"), in: "ak"), .unsupportedKey),
      (AccessRule(.write, objects: .prefix("a/../b/"), in: "ak"), .unsupportedKey),
    ] {
      XCTAssertEqual(code(result(upload(to: "/a/b"), rule)), expected, "\(rule)")
      XCTAssertNil(code(result(upload(to: "/a/b"), rule, AccessRule(.write, objects: .prefix("a/"), in: "ak"))))
    }
  }
}
