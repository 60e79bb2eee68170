// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// Declares what the example for iPhones uses of SwiftUI. Tests/Apple/check-app.py compiles the example against it on
// Linux; this code is never run. Every view is the same one, so that the builders need no types.

import Foundation
import UIKit
import UniformTypeIdentifiers

@MainActor @preconcurrency
public protocol View {
  associatedtype Body: View
  @ViewBuilder var body: Body { get }
}

public struct AnyContent: View {
  nonisolated init() {}
  public var body: AnyContent { self }
}

@resultBuilder
public enum ViewBuilder {
  public static func buildExpression(_ view: some View) -> AnyContent { AnyContent() }
  public static func buildBlock(_ views: AnyContent...) -> AnyContent { AnyContent() }
  public static func buildOptional(_ view: AnyContent?) -> AnyContent { AnyContent() }
  public static func buildEither(first view: AnyContent) -> AnyContent { view }
  public static func buildEither(second view: AnyContent) -> AnyContent { view }
}

@MainActor @preconcurrency
public protocol Scene {
  associatedtype Body: Scene
  var body: Body { get }
}

@MainActor @preconcurrency
public protocol App {
  associatedtype Body: Scene
  var body: Body { get }
  init()
}

extension App {
  public static func main() {}
}

public struct WindowGroup: Scene {
  public init(@ViewBuilder content: () -> some View) {}
  public var body: WindowGroup { self }
}

@MainActor @propertyWrapper
public struct UIApplicationDelegateAdaptor<Delegate: NSObject & UIApplicationDelegate> {
  public init(_ type: Delegate.Type = Delegate.self) {}
  public var wrappedValue: Delegate { fatalError() }
}

@propertyWrapper
public struct State<Value> {
  public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
  public init(initialValue: Value) { wrappedValue = initialValue }
  public var wrappedValue: Value {
    get { fatalError() }
    nonmutating set {}
  }
  public var projectedValue: Binding<Value> { Binding() }
}

public struct Binding<Value> {
  init() {}
}

public struct Color: Sendable {
  public static let red = Color()
}

public enum VerticalEdge { case top, bottom }

public struct NavigationStack: View {
  public init(@ViewBuilder root: () -> some View) {}
  public var body: AnyContent { AnyContent() }
}

public struct Form: View {
  public init(@ViewBuilder content: () -> some View) {}
  public var body: AnyContent { AnyContent() }
}

public struct List: View {
  public init<Data: RandomAccessCollection>(_ data: Data, @ViewBuilder row: @escaping (Data.Element) -> some View)
  where Data.Element: Identifiable {}
  public var body: AnyContent { AnyContent() }
}

public struct LabeledContent: View {
  public init(_ title: some StringProtocol, @ViewBuilder content: () -> some View) {}
  public var body: AnyContent { AnyContent() }
}

public struct Text: View {
  public init(_ text: some StringProtocol) {}
  public var body: AnyContent { AnyContent() }
}

public struct TextField: View {
  public init(_ title: some StringProtocol, text: Binding<String>) {}
  public var body: AnyContent { AnyContent() }
}

public struct SecureField: View {
  public init(_ title: some StringProtocol, text: Binding<String>) {}
  public var body: AnyContent { AnyContent() }
}

public struct Toggle: View {
  public init(_ title: some StringProtocol, isOn: Binding<Bool>) {}
  public var body: AnyContent { AnyContent() }
}

public struct Button: View {
  public init(_ title: some StringProtocol, systemImage: String, action: @escaping @MainActor () -> Void) {}
  public var body: AnyContent { AnyContent() }
}

public struct ProgressView: View {
  public init(value: Double?) {}
  public var body: AnyContent { AnyContent() }
}

public struct ShareLink: View {
  public init(item: URL) {}
  public var body: AnyContent { AnyContent() }
}

public struct TextContentType: Sendable {
  public static let username = TextContentType()
  public static let password = TextContentType()
}

extension View {
  public func textContentType(_ type: TextContentType?) -> some View { AnyContent() }
  public func foregroundStyle(_ color: Color) -> some View { AnyContent() }
  public func toolbar(@ViewBuilder content: () -> some View) -> some View { AnyContent() }
  public func safeAreaInset(edge: VerticalEdge, @ViewBuilder content: () -> some View) -> some View { AnyContent() }
  public func id(_ id: some Hashable) -> some View { AnyContent() }
  public func task(_ action: sending @escaping @isolated(any) () async -> Void) -> some View { AnyContent() }
  public func fileImporter(
    isPresented: Binding<Bool>, allowedContentTypes: [UTType],
    onCompletion: @escaping (Result<URL, any Error>) -> Void
  ) -> some View { AnyContent() }
}
