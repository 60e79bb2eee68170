// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageXML

extension Dialect {
  /// Returns an access control list document that grants full control to the owner.
  ///
  /// With public read access, the document also grants read access to the group of all users.
  ///
  /// - Parameters:
  ///   - access: The access control setting of the bucket or object.
  ///   - everybody: The URI of the group of all users.
  func grants(of access: AccessControl?, everybody: String) -> XMLNode {
    func grant(_ type: String, _ grantee: [XMLNode], _ permission: String) -> XMLNode {
      var to = XMLNode("Grantee", children: grantee)
      to.attributes = ["xmlns:xsi": "http://www.w3.org/2001/XMLSchema-instance", "xsi:type": type]
      return XMLNode("Grant", children: [to, XMLNode("Permission", permission)])
    }
    var grants = [grant("CanonicalUser", owner.children, "FULL_CONTROL")]
    if access == .publicRead { grants.append(grant("Group", [XMLNode("URI", everybody)], "READ")) }
    var document = XMLNode(
      "AccessControlPolicy", children: [owner, XMLNode("AccessControlList", children: grants)])
    if let namespace { document.attributes["xmlns"] = namespace }
    return document
  }
}
