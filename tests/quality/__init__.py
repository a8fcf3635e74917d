"""Is what the kit shows a person good: shrunk, readable, named rightly?"""
