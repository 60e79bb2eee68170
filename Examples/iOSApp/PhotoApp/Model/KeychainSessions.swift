// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

#if canImport(Security)
  import Foundation
  import Security

  /// The session in the keychain, on this device only, and readable from the first unlocking after a start.
  ///
  /// The system wakes the app for background uploads while the device is locked.
  struct KeychainSessions: SessionStore {
    private var item: [CFString: Any] { [kSecClass: kSecClassGenericPassword, kSecAttrService: "photo service"] }

    func load() -> Session? {
      var found: CFTypeRef?
      let query = item.merging([kSecReturnData: true]) { $1 } as CFDictionary
      guard SecItemCopyMatching(query, &found) == errSecSuccess, let data = found as? Data else { return nil }
      return try? JSONDecoder().decode(Session.self, from: data)
    }

    func save(_ session: Session?) {
      SecItemDelete(item as CFDictionary)
      guard let session, let data = try? JSONEncoder().encode(session) else { return }
      let access = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
      SecItemAdd(item.merging([kSecValueData: data, kSecAttrAccessible: access]) { $1 } as CFDictionary, nil)
    }
  }
#endif
