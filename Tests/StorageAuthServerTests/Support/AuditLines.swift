// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageAuth
import StorageAuthServer

/// Records the entries of an audit log.
final class AuditLines: Sendable {
  private let lines = Lock<[TokenAudit]>([])

  var all: [TokenAudit] { lines.withLock { $0 } }

  @Sendable func append(_ line: TokenAudit) { lines.withLock { $0.append(line) } }
}
