// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// Prints a line, with external text escaped for a terminal.
///
/// - Parameters:
///   - items: The items to print, separated by spaces.
///   - keepingLines: Whether line feeds are part of the layout and are printed unchanged.
public func say(_ items: Any..., keepingLines: Bool = false) {
  StandardStream.print(DisplayText(items.map { "\($0)" }.joined(separator: " "), keepingLines: keepingLines))
}
