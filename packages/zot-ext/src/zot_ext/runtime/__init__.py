"""The running extension: process, threads, handlers, frames in and out."""
