// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageAuth
import XCTest

@testable import COSAuth
@testable import CredentialSources
@testable import OSSAuth

/// Tests how every source that reads a file handles a missing, unreadable or insecure one.
final class ConfigurationFileTests: XCTestCase {
  private func sources(_ machine: ProviderContext) -> [(path: String, provider: any CredentialProvider<AccessKey>)] {
    [
      ("/home/mia/.aliyun/config.json", ProfileCredentialProvider.alibabaCLIProfile().bound(to: machine)),
      ("/home/mia/.alibabacloud/credentials", ProfileCredentialProvider.alibabaSharedProfile().bound(to: machine)),
      ("/home/mia/.ossutilconfig", ProfileCredentialProvider.ossutilProfile().bound(to: machine)),
      ("/home/mia/.oss/credentials", ProfileCredentialProvider.ossSDKProfile().bound(to: machine)),
      ("/home/mia/.tencentcloud/credentials", ProfileCredentialProvider.tencentProfile().bound(to: machine)),
      ("/etc/tencentcloud/credentials", ProfileCredentialProvider.tencentProfile().bound(to: machine)),
      ("/home/mia/.tccli/default.credential", ProfileCredentialProvider.tccliProfile().bound(to: machine)),
      ("/home/mia/.cos.conf", ProfileCredentialProvider.coscmdProfile().bound(to: machine)),
      ("/home/mia/.cos.yaml", ProfileCredentialProvider.coscliProfile().bound(to: machine)),
    ]
  }

  func testMissingFileIsNotConfiguredWithARemedy() async {
    let machine = MemoryMachine()
    for (path, provider) in sources(machine.access) {
      let name = path.replacing("/home/mia", with: "~")
      await assertRefuses(provider, .notConfigured, says: [name], path)
    }
    var homeless = machine.access
    homeless.home = nil
    for (path, provider) in sources(homeless) { await assertRefuses(provider, .notConfigured, path) }
  }

  func testUnreadableFileIsAnErrorThatNamesIt() async {
    for index in sources(MemoryMachine().access).indices {
      let machine = MemoryMachine()
      let (path, provider) = sources(machine.access)[index]
      machine.put(path, problem: .unreadable("permission denied"))
      await assertRefuses(provider, .failed, says: [path, "permission denied"], path)
      machine.put(path, bytes: [UInt8](repeating: 0x20, count: 1 << 20 + 1))
      await assertRefuses(provider, .failed, says: [path, "larger than 1048576 bytes"], path)
      machine.put(path, bytes: [0xFF, 0xFE, 0x41, 0x00])
      await assertRefuses(provider, .malformedResponse, says: [path], path)
      XCTAssertEqual(machine.warnings, [], path)
    }
  }

  func testFileReadableByOthersIsUsedWithAWarning() async {
    let machine = MemoryMachine()
    let text = "[default]\nsecret_id = id\nsecret_key = \(Marks.secret)\n"
    let path = "/home/mia/.tencentcloud/credentials"
    for permissions: UInt16 in [0o640, 0o604, 0o644] {
      machine.put(path, bytes: Array(text.utf8), permissions: permissions)
      await assertKey(
        ProfileCredentialProvider.tencentProfile().bound(to: machine.access), AccessKey(id: "id", secret: Marks.secret))
      let warning = machine.warnings.last
      XCTAssertTrue(warning?.message.contains(path) == true, "\(permissions): \(machine.warnings)")
      XCTAssertTrue(warning?.remedy.contains("chmod 600 \(path)") == true)
      XCTAssertFalse("\(machine.warnings)".contains(Marks.word))
    }
    XCTAssertEqual(machine.warnings.count, 3)
    for permissions: UInt16 in [0o600, 0o400, 0o711] {
      machine.put(path, bytes: Array(text.utf8), permissions: permissions)
      await assertKey(
        ProfileCredentialProvider.tencentProfile().bound(to: machine.access), AccessKey(id: "id", secret: Marks.secret))
    }
    XCTAssertEqual(machine.warnings.count, 3)
  }

  func testFileIsReadForEachRequest() async {
    let machine = MemoryMachine(files: ["/home/mia/.cos.conf": "[common]\nsecret_id=1\nsecret_key=s"])
    let provider = ProfileCredentialProvider.coscmdProfile().bound(to: machine.access)
    await assertKey(provider, AccessKey(id: "1", secret: "s"))
    machine.put("/home/mia/.cos.conf", "[common]\nsecret_id=2\nsecret_key=s")
    await assertKey(provider, AccessKey(id: "2", secret: "s"))
  }
}
