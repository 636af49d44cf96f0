describe("x", () => { it("y", () => undefined); });
