//go:build go1.25

package main

import (
	"net"
	"strings"

	"github.com/gofiber/fiber/v2"
	"github.com/gofiber/fiber/v2/middleware/etag"
)

// The server is an API with entity tags, which fiber makes in a buffer of bytebufferpool.
func serve(l net.Listener) error {
	app := fiber.New(fiber.Config{DisableStartupMessage: true})
	app.Use(etag.New())
	text := strings.Repeat("an article ", 200)
	app.Get("/articles/:id", func(c *fiber.Ctx) error {
		return c.JSON(fiber.Map{"id": c.Params("id"), "text": text})
	})
	return app.Listener(l)
}

func connect(addr string) (request, error) {
	return overHTTP(addr, get("/articles/2"), get("/articles/1"), get("/articles/2"))
}
