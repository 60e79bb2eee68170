// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import NIOHTTP1
internal import StorageCrypto

/// A handler that reads the target of each HTTP/1.1 request in one way, before it is converted to swift-http-types.
///
/// The host of a URL takes precedence over the `Host` header (RFC 9112, section 3.2.2), but the conversion would drop it,
/// so that what follows would read another host than a proxy in front of the server, which the client may choose. A URL
/// is therefore replaced by its path and query if the only `Host` header names the same host and port, as it must. Any
/// other target that is neither a path nor `*` of the method OPTIONS becomes an empty string, which no client can send;
/// ``LimitedHTTPChannel/refusingUnreadableTargets(_:)`` or the responder refuses it.
final class RequestTargetReader: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .head(var head) = unwrapInboundIn(data), head.uri.utf8.first != UInt8(ascii: "/") else {
      context.fireChannelRead(data)
      return
    }
    // `OPTIONS *` asks about the server itself (RFC 9112, section 3.2.4).
    let isForServer = head.method == .OPTIONS && head.uri.utf8.elementsEqual("*".utf8)
    if !isForServer {
      if let target = AbsoluteTarget(head.uri), let host = target.host(agreeingWith: head.headers["host"]) {
        head.uri = target.path
        head.headers.replaceOrAdd(name: "Host", value: host)
      } else {
        head.uri = ""
      }
    }
    context.fireChannelRead(wrapInboundOut(.head(head)))
  }
}

/// A request target that is a URL, divided into its host and its path.
private struct AbsoluteTarget {
  /// The host with the port, if the URL has one.
  private let authority: Substring
  /// The path with the query; at least `/`.
  let path: String

  /// Parses a URL with the scheme `http` or `https` and a host, without a user and a fragment; `nil` for another text.
  init?(_ text: String) {
    let bytes = text.utf8
    let scheme = ["http://", "https://"].first { scheme in
      bytes.prefix(scheme.utf8.count).map(asciiLowercased).elementsEqual(scheme.utf8)
    }
    guard let scheme else { return nil }
    let urlWithoutScheme = text[bytes.index(bytes.startIndex, offsetBy: scheme.utf8.count)...]
    let authorityEnd =
      urlWithoutScheme.utf8.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }
      ?? urlWithoutScheme.endIndex
    authority = urlWithoutScheme[..<authorityEnd]
    let target = urlWithoutScheme[authorityEnd...]
    guard !authority.isEmpty, !authority.utf8.contains(UInt8(ascii: "@")), !bytes.contains(UInt8(ascii: "#")) else {
      return nil
    }
    path = target.utf8.first == UInt8(ascii: "/") ? String(target) : "/\(target)"
  }

  /// Returns the URL's host if the only `Host` header has the same one, in any letter case.
  func host(agreeingWith headers: [String]) -> String? {
    guard headers.count == 1, let header = headers.first,
      header.utf8.map(asciiLowercased).elementsEqual(authority.utf8.map(asciiLowercased))
    else { return nil }
    return String(authority)
  }
}
